// Passes on connections: `node relay.mjs FROM=TO …`, each a port of this machine or the path of a socket, which reaches into a room without network.

import { connect, createServer } from "node:net";

const placeOf = (text) => (/^\d+$/.test(text) ? { port: Number(text), host: "127.0.0.1" } : { path: text });

for (const pair of process.argv.slice(2)) {
  const [from, to] = pair.split("=").map(placeOf);
  const server = createServer((near) => {
    const far = connect(to);
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  });
  await new Promise((done) => server.listen(from, done));
}
console.log("relaying");
