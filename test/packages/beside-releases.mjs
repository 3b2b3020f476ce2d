/** Serves the folder `releases` over HTTP, as a site of releases would, while the command of its arguments runs; its address is in RELEASES. Tells what was asked for. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const server = createServer(({ method, url }, answer) => {
  console.log(`${method} ${url}`);
  try {
    answer.end(readFileSync(`releases${decodeURIComponent(url)}`));
  } catch {
    answer.writeHead(404).end();
  }
}).listen(0, "127.0.0.1");
await once(server, "listening");

const [program, ...args] = process.argv.slice(2);
const env = { ...process.env, RELEASES: `http://127.0.0.1:${server.address().port}` };
[process.exitCode] = await once(spawn(program, args, { env, stdio: "inherit" }), "close");
server.close();
