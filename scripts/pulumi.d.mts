/** Where `pulumi` and `pulumi-language-yaml` are, or why they are not. */
export function ensurePulumi(options?: {
  log?: (line: string) => void;
}): Promise<{ bin: string; reason?: undefined } | { bin?: undefined; reason: string }>;

/** The go program, or undefined when there is none. */
export function goProgram(): string | undefined;

/** The folder with `pulumi` and `pulumi-language-yaml`, as far as there is one without building. */
export function findPulumi(): string | undefined;
