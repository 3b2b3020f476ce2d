/** The plugin's command line, read tolerantly: engines put flags of their own before the one thing that matters. */

/** Flags whose value is the next argument. */
const withValue = new Set(["--tracing", "-tracing", "-v"]);

/** The engine's address (`host:port`) among the arguments; undefined when the plugin is started to be attached to. */
export function engineAddressOf(args: readonly string[]): string | undefined {
  for (let i = 0; i < args.length; i += 1) {
    const argument = args[i] ?? "";
    if (withValue.has(argument)) i += 1;
    else if (!argument.startsWith("-") && /^\S+:\d+$/.test(argument)) return argument;
  }
  return undefined;
}
