/** The command `stack export`: the state leaves, for us or for Pulumi. */

import { type Command, Option } from "commander";
import { containsSecret } from "../../../core/value.ts";
import type { ResourceState } from "../../../engine/engine.ts";
import type { Declared } from "../../../kubernetes/manifests.ts";
import { kinds } from "../../../provider.ts";
import { printManifests, refuseNamespace } from "../../declaration/manifests.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { printError, printWhole } from "../../render/door.ts";
import { stateVersion } from "../../settings.ts";

const tellKeyFile = (file: string): void =>
  printError(
    `Secrets in it are sealed under the key file ${file}. Pulumi opens them with PULUMI_CONFIG_PASSPHRASE_FILE=${file}, and gives them a passphrase of your own by \`pulumi stack change-secrets-provider passphrase\`; --show-secrets exports them in plain text.`,
  );

function versionOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CommandError(
    `--version needs the number of a version, not "${text}": plumbline stack history lists them`,
  );
}

interface Flags {
  readonly pulumi?: boolean;
  readonly kubernetes?: boolean;
  readonly namespace?: string;
  readonly stateVersion?: string;
}

function refuseBeside({ pulumi, stateVersion: version }: Flags): void {
  const other = pulumi ? "--pulumi" : version === undefined ? undefined : "--version";
  if (other !== undefined) throw new CommandError(`--kubernetes cannot be combined with ${other}`);
}

/** Refuses what the stack keeps secret and a manifest has no Secret for. */
function refuseShown(resources: readonly Declared[]): void {
  const shown = resources.flatMap(({ type, name, inputs }) =>
    Object.entries(inputs)
      .filter(([, value]) => containsSecret(value))
      .filter(([input]) => !kinds.get(type)!.secrets.some((secret) => secret.input === input))
      .map(([input]) => `${name}.${input}`),
  );
  if (shown.length > 0)
    throw new CommandError(
      `a manifest would show what the stack keeps secret: ${shown.join(", ")}; --show-secrets writes it as it is`,
    );
}

/** What has an object that the stack manages. */
function declared({ urn, type, custom, id, inputs, external, ...state }: ResourceState): Declared[] {
  if (!custom || external || state.delete || id === undefined || !kinds.has(type)) return [];
  const { protect = false, retainOnDelete = false } = state;
  return [{ type, name: urn.split("::").at(-1)!, id, inputs, protect, retainOnDelete }];
}

export function addStackExport(stack: Command): void {
  helped(stack.command("export"), {
    examples: {
      "stack export > state.json": "a copy to keep",
      "stack export --pulumi": "for pulumi stack import",
      "stack export --kubernetes -n site": "as manifests, with the ids of the objects",
      "stack export --version 7": "as it was then (stack history)",
    },
  })
    .description("print the state; secrets stay sealed unless --show-secrets")
    .option("--version <number>", "as it was then: one of those that stack history lists")
    .option("--pulumi", "in the form that `pulumi stack import` reads")
    .option(
      "--kubernetes",
      "as manifests of Kubernetes that take the objects over; secrets are left out unless --show-secrets",
    )
    .option("-n, --namespace <name>", "namespace of the manifests")
    .addOption(new Option(`${stateVersion} <number>`).hideHelp())
    .action((flags: Flags, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const { showSecrets } = settings;
        if (flags.kubernetes) {
          refuseBeside(flags);
          refuseNamespace(flags.namespace);
          const resources = (await engine.resources({ showSecrets })).flatMap(declared);
          if (!showSecrets) refuseShown(resources);
          await printManifests(resources, { namespace: flags.namespace, showSecrets });
          return exitCode.done;
        }
        const which = flags.stateVersion === undefined ? {} : { version: versionOf(flags.stateVersion) };
        const state = flags.pulumi
          ? await engine.exportPulumi({ ...which, showSecrets, sealedUnder: tellKeyFile })
          : await engine.exportState({ ...which, showSecrets });
        // As it is: what is secret is sealed in it, and who reads it back needs every letter of the rest.
        printWhole(JSON.stringify(state, null, 2));
        return exitCode.done;
      }),
    );
}
