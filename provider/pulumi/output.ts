/** Keeps the standard output for the port line: imported first, it sends whatever else would be written there to the standard error. */

const write = process.stdout.write.bind(process.stdout);

process.stdout.write = process.stderr.write.bind(process.stderr);
console.log = console.error;
console.info = console.error;
console.debug = console.error;
// The engine may be gone before the plugin; nobody is left to read then.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

/** Writes the line that the engine waits for. */
export function writePortLine(port: number): void {
  write(`${port}\n`);
}
