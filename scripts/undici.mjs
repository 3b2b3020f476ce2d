/** What the bundles take of undici. The build fails for a name that is missing here. */

import api from "undici/lib/api/index.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";
import redirect from "undici/lib/interceptor/redirect.js";

// As undici's own main file does.
Object.assign(Dispatcher.prototype, api);

const interceptors = { redirect };

export { Agent, interceptors, ProxyAgent };
