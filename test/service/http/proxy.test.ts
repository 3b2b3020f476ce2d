/** Requests through a proxy: which go through one, and what the proxy sees of them. */

import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { selfSigned } from "../../../emulator/certificate.ts";
import { createService, type Service } from "../../../provider/service/client.ts";
import { isLoopback, type Proxies, proxiesOf, proxyFor } from "../../../provider/service/http/proxy.ts";
import { json, startBadServer } from "./bad-server.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const token = "very-secret-token";

/** A proxy that leads every host to one port of this machine, and keeps every byte that it sees. */
async function startProxy(port: number, status = 200) {
  const seen: Buffer[] = [];
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (chunk: Buffer) => void seen.push(chunk);
  const server = createServer((request: IncomingMessage, response) => {
    asked.push(`${request.method} ${request.url}`);
    seen.push(Buffer.from(JSON.stringify(request.headers)));
    response.writeHead(200, { "content-type": "application/json" }).end('{"id":7}');
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    seen.push(Buffer.from(JSON.stringify(request.headers)));
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const onward = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    sockets.add(onward);
    for (const one of [socket, onward]) one.on("error", () => undefined).on("data", keep);
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://user:hunter22@127.0.0.1:${own}`,
    asked,
    text: () => Buffer.concat(seen).toString("latin1"),
  };
}

/** An https server for any host. Its certificate is nobody's, which the process believes for the test. */
async function startTls(): Promise<{ port: number; authorized: string[] }> {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  const { certificate, privateKey } = selfSigned({
    ...{ seed: "07".repeat(32), name: "api.plumbline.test", hosts: ["api.plumbline.test"], from: new Date() },
  });
  const authorized: string[] = [];
  const server = createTlsServer({ cert: certificate, key: privateKey }, (request, response) => {
    authorized.push(request.headers.authorization ?? "");
    response.writeHead(200, { "content-type": "application/json" }).end('{"id":7}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, authorized };
}

function open(baseUrl: string, proxies: Proxies): Service {
  const service = createService({ baseUrl, token, proxies, random: () => 0 });
  onTestFinished(() => service.close());
  return service;
}

describe("through a proxy", () => {
  it("an https service gets the token, and the proxy sees a tunnel only", async () => {
    const { port, authorized } = await startTls();
    const proxy = await startProxy(port);
    const service = open("https://api.plumbline.test/v4", { https: proxy.url });
    expect(await service.get("/volumes/7")).toEqual({ id: 7 });
    expect(authorized).toEqual([`Bearer ${token}`]);
    expect(proxy.asked).toEqual(["CONNECT api.plumbline.test:443"]);
    expect(proxy.text()).not.toContain(token);
    expect(proxy.text()).not.toContain("/volumes");
    expect(proxy.text()).toContain(`Basic ${Buffer.from("user:hunter22").toString("base64")}`);
  });

  it("objects are stored the same way", async () => {
    const { port } = await startTls();
    const proxy = await startProxy(port);
    const service = open("https://api.plumbline.test/v4", { https: proxy.url });
    const url = "https://b.objects.plumbline.test/a?Signature=s3cret";
    await service.sendSigned({ method: "PUT", url, what: "object", body: "x" });
    expect(proxy.asked).toEqual(["CONNECT b.objects.plumbline.test:443"]);
    expect(proxy.text()).not.toContain("s3cret");
  });

  it("a plain http service is asked for by its whole address", async () => {
    const proxy = await startProxy(0);
    const service = open("http://api.plumbline.test/v4", { http: proxy.url });
    expect(await service.get("/volumes/7")).toEqual({ id: 7 });
    expect(proxy.asked).toEqual(["GET http://api.plumbline.test/v4/volumes/7"]);
  });

  it.each([403, 407, 502])(
    "that refuses the way with %i nothing was sent, and the message names it",
    async (status) => {
      const proxy = await startProxy(0, status);
      const service = open("https://api.plumbline.test/v4", { https: proxy.url });
      const error = await service.post("/volumes", {}).catch((thrown: Error) => thrown as Error);
      expect(error).toMatchObject({ name: "UnreachableError" });
      expect((error as Error).message).toContain(
        `refused with ${status} through the proxy http://127.0.0.1:`,
      );
      expect((error as Error).message).not.toContain("hunter22");
    },
  );

  it("that is not there nothing was sent", async () => {
    const service = open("https://api.plumbline.test/v4", { https: "http://127.0.0.1:1" });
    await expect(service.post("/volumes", {})).rejects.toThrow(
      "connection refused through the proxy http://127.0.0.1:1",
    );
  });

  it("the machine itself is never reached", async () => {
    const server = await startBadServer(json({ id: 7 }));
    onTestFinished(() => server.close());
    const service = open(server.baseUrl, { http: "http://127.0.0.1:1", https: "http://127.0.0.1:1" });
    expect(await service.get("/volumes/7")).toEqual({ id: 7 });
  });
});

describe("which proxy", () => {
  it("is told by the environment, in small letters first", () => {
    expect(
      proxiesOf({ HTTPS_PROXY: "http://a", https_proxy: "http://b", HTTP_PROXY: "", NO_PROXY: "x" }),
    ).toEqual({
      https: "http://b",
      no: "x",
    });
  });

  const over = (origin: string, no?: string) =>
    proxyFor(origin, { http: "plain:3128", https: "http://secure:3128", ...(no !== undefined && { no }) })
      ?.host;

  it("goes by the kind of the address, and may be written without its own", () => {
    expect(over("https://x.example")).toBe("secure:3128");
    expect(over("http://x.example")).toBe("plain:3128");
    expect(proxyFor("https://x.example", { http: "http://plain:3128" })).toBeUndefined();
  });

  it.each<[string, boolean]>([
    ["*", true],
    ["x.example", true],
    ["example", true],
    [".example", true],
    ["*.example", true],
    ["x.example:443", true],
    ["x.example:8443", false],
    ["ample", false],
    ["y.example", false],
    ["a, X.EXAMPLE ,b", true],
    ["", false],
    [",", false],
  ])("with NO_PROXY %j passes x.example by: %s", (no, passes) => {
    expect(over("https://x.example", no) === undefined).toBe(passes);
  });

  it("of another kind is refused with what to do, and without its password", () => {
    const make = () => proxyFor("https://x.example", { https: "socks5://u:hunter22@p:1" });
    expect(make).toThrow(/^(?!.*hunter22)HTTPS_PROXY must be .*NO_PROXY/);
  });

  it("never lies between this machine and itself", () => {
    for (const host of ["localhost", "a.localhost", "127.0.0.1", "127.1.2.3", "[::1]"])
      expect(isLoopback(host)).toBe(true);
    for (const host of ["localhost.example", "128.0.0.1", "127.0.0.1.example", "[::2]"])
      expect(isLoopback(host)).toBe(false);
  });
});
