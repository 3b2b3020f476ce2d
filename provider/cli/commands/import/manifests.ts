/** `import --all --kubernetes`: everything of an account as manifests that take it over. Writes no file and no state. */

import { refuseUnknownArea } from "../../area.ts";
import { printManifests, refuseNamespace } from "../../declaration/manifests.ts";
import { type ExitCode, exitCode } from "../../exit.ts";
import { codeOf, type Stack } from "../../open-stack.ts";
import { leftOutLines, untoldLines } from "../../render/account.ts";
import { printError } from "../../render/door.ts";
import { lines, problemsOnly } from "../../shown.ts";

export async function accountAsManifests(
  { settings, engine, shown }: Stack,
  {
    area,
    namespace,
    protect = false,
  }: { readonly area?: string; readonly namespace?: string; readonly protect?: boolean },
): Promise<ExitCode> {
  refuseUnknownArea(area);
  refuseNamespace(namespace);
  const found = await shown(problemsOnly(lines(settings)), () =>
    engine.survey(area === undefined ? {} : { area }),
  );
  if (!found.survey) return codeOf(found);
  const { survey } = found;
  const { length } = survey.managed;
  if (length > 0)
    printError(
      `${length} ${length === 1 ? "resource" : "resources"} of ${settings.stack} left out: plumbline stack export --kubernetes writes them`,
    );
  for (const line of [...leftOutLines(survey.leftOut, settings.colors), ...untoldLines(survey)])
    printError(line);
  const resources = survey.found.map(({ type, name, id, inputs }) => ({ type, name, id, inputs, protect }));
  await printManifests(resources, { namespace, showSecrets: settings.showSecrets });
  return exitCode.done;
}
