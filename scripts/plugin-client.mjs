/** Speaks to a plugin as the engine does, for the scripts that build, try and measure it. */

import { spawn } from "node:child_process";
import { resolve } from "node:path";
import grpc from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";

const requests = {
  handshake: () => new messages.ProviderHandshakeRequest(),
  getSchema: () => new messages.GetSchemaRequest(),
};

/** Makes the calls one after the other; resolves to their answers, rejects with the first failure. */
export async function callPlugin(port, names) {
  const client = new services.ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  try {
    const answers = [];
    for (const name of names) {
      answers.push(
        await new Promise((settle, reject) => {
          const deadline = Date.now() + 10_000;
          client[name](requests[name](), new grpc.Metadata(), { deadline }, (error, answer) =>
            error ? reject(error) : settle(answer),
          );
        }),
      );
    }
    return answers;
  } finally {
    client.close();
  }
}

const launcher = resolve(import.meta.dirname, "..", "bin", "pulumi-resource-plumbline");

/** Starts the built plugin, makes the calls, and ends it; resolves to what `use` makes of the answers while it still runs. */
export async function askPlugin(names, { env = process.env, use = (answers) => answers } = {}) {
  const child = spawn(launcher, ["127.0.0.1:1"], { stdio: ["ignore", "pipe", "inherit"], env });
  const ended = new Promise((settle) => child.once("exit", settle));
  try {
    const port = await new Promise((settle, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the plugin ended with ${code} before its port line`)));
      child.stdout.once("data", (data) => settle(Number(data)));
    });
    return use(await callPlugin(port, names));
  } finally {
    child.kill("SIGINT");
    await ended;
  }
}
