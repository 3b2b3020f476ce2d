/** What the plugin says of itself and hears of the engine, before and beside any resource: Handshake, Attach, schema, version, mappings, Cancel. */

import grpc from "@grpc/grpc-js";
import type { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import type { GetSchemaRequest, ProviderHandshakeRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import wire from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { sendTo } from "./engine-log.ts";
import type { Session } from "./session.ts";
import { StatusError } from "./wire/failure.ts";

export function introduction(session: Session) {
  let schema: Promise<{ text: string; version: string }> | undefined;

  async function makeSchema() {
    const { packageSchema } = await session.parts();
    const made = packageSchema() as { version?: unknown };
    return { text: JSON.stringify(made), version: String(made.version ?? "") };
  }
  function loadSchema() {
    schema ??= makeSchema();
    return schema;
  }

  async function handshake(request: ProviderHandshakeRequest) {
    const address = request.getEngineAddress();
    if (address !== "") session.connect(sendTo(address));
    const response = new wire.ProviderHandshakeResponse();
    response.setAcceptSecrets(true);
    response.setAcceptResources(true);
    response.setAcceptOutputs(true);
    response.setSupportsAutonamingConfiguration(true);
    return response;
  }

  async function attach(request: PluginAttach) {
    session.connect(sendTo(request.getAddress()));
    return new empty.Empty();
  }

  async function getSchema(request: GetSchemaRequest) {
    if (request.getSubpackageName() !== "") {
      throw new StatusError(
        grpc.status.INVALID_ARGUMENT,
        `there is no package ${request.getSubpackageName()} within plumbline`,
      );
    }
    if (request.getVersion() > 1) {
      throw new StatusError(
        grpc.status.INVALID_ARGUMENT,
        `schema format ${request.getVersion()} is not known: ask for 1`,
      );
    }
    const response = new wire.GetSchemaResponse();
    response.setSchema((await loadSchema()).text);
    return response;
  }

  async function getPluginInfo() {
    const info = new plugin.PluginInfo();
    info.setVersion((await loadSchema()).version);
    return info;
  }

  return {
    handshake,
    attach,
    getSchema,
    getPluginInfo,
    getMapping: async () => new wire.GetMappingResponse(),
    getMappings: async () => new wire.GetMappingsResponse(),
    cancel: async () => {
      session.cancel();
      return new empty.Empty();
    },
  };
}
