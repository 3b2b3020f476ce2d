/** Speaks to a plugin as the engine does, for the scripts that build and measure it. */

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
