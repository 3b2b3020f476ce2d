/** Takes over what a stack file declares, the account has and the state does not know, and does nothing else. */

import { confirm } from "./ask.ts";
import { CommandError } from "./exit.ts";
import type { Stack } from "./open-stack.ts";
import { thousands } from "./render/format.ts";
import { lines, problemsOnly } from "./shown.ts";

/** Shows what is there and asks. Throws CommandError for what is not as it is declared: taking that over would change it. */
export async function takeOverDeclared({ engine, settings, shown, signal }: Stack): Promise<void> {
  const found = await shown(settings.json ? problemsOnly(lines(settings)) : lines(settings), () =>
    engine.preview({ adopt: true }),
  );
  if (found.result !== "succeeded") throw new CommandError("nothing was done");
  const imports = found.steps.filter(({ op }) => op === "import");
  const different = imports.filter(({ detailedDiff }) => Object.keys(detailedDiff).length > 0);
  if (different.length > 0) {
    const names = different.map(({ name }) => name).join(", ");
    throw new CommandError(
      `on the account, but not as declared: ${names}. Run \`plumbline up --adopt\`, which takes them over and makes them so`,
    );
  }
  if (imports.length === 0) return;
  await confirm(
    settings,
    `Take over ${thousands(imports.length)} that the file declares and the account has? Nothing on the account is changed.`,
    signal,
  );
  const taken = await shown(problemsOnly(lines(settings)), () =>
    engine.up({ adopt: true, targets: imports.map(({ urn }) => urn) }),
  );
  if (taken.result !== "succeeded") throw new CommandError("not everything was taken over: run it again");
}
