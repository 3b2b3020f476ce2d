/** The S3 server's program, as far as there is one without building. */
export function findS3(): string | undefined;

/** The folder with `postgres` and `initdb`. */
export function findPostgres(): string | undefined;

/** Builds the S3 server where there is none. */
export function ensureStores(options?: { log?: (line: string) => void }): {
  readonly s3: string | undefined;
  readonly postgres: string | undefined;
  readonly reasons: readonly string[];
};
