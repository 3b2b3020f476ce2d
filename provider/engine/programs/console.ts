/** The Engine service of a program: what it logs. */

import { stripVTControlCharacters } from "node:util";
import engine, { type LogRequest, type SetRootResourceRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { nameOf } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import type { Host } from "../host.ts";
import type { Findings } from "./findings.ts";
import type { Handlers } from "./server.ts";

export interface ConsoleOptions {
  readonly host: Host;
  readonly root: Urn;
  readonly findings: Findings;
}

export function consoleOf({ host, root, findings }: ConsoleOptions): Handlers {
  const { DEBUG, ERROR, WARNING } = engine.LogSeverity;
  return {
    async log(request: LogRequest) {
      const severity = request.getSeverity();
      const urn = request.getUrn();
      const isAbout = urn !== "" && urn !== root;
      const message = stripVTControlCharacters(request.getMessage()).trimEnd();
      if (severity === ERROR) findings.logged({ severity: "error", message, ...(isAbout ? { urn } : {}) });
      else if (severity !== DEBUG) {
        const ephemeral = request.getEphemeral() ? { ephemeral: true } : {};
        const text = isAbout ? `${nameOf(urn)}: ${message}` : message;
        host.log(severity === WARNING ? "warning" : "info", text, ephemeral);
      }
      return new empty.Empty();
    },
    async getRootResource() {
      const response = new engine.GetRootResourceResponse();
      response.setUrn(root);
      return response;
    },
    setRootResource: async (_request: SetRootResourceRequest) => new engine.SetRootResourceResponse(),
    async requirePulumiVersion(request: engine.RequirePulumiVersionRequest) {
      const range = request.getPulumiVersionRange();
      host.log(
        "warning",
        `there is no Pulumi version here to compare with ${range}, which the program requires`,
      );
      return new engine.RequirePulumiVersionResponse();
    },
  };
}
