/**
 * Where the tests of states get servers from: `versitygw` (S3) from the PATH, else built with Go from the version that `tools/versitygw/go.mod`
 * pins, kept in `.cache/versitygw/bin`; `postgres` with `initdb` as a distribution installs them. Run by itself it builds, and prints what there is.
 */

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { goTools, suffix } from "./go-tools.mjs";
import { findProgram, isProgram } from "./programs.mjs";

const gateway = "github.com/versity/versitygw/cmd/versitygw";
const tools = goTools("versitygw", [{ name: "versitygw", main: gateway }]);

/** The S3 server, as far as there is one without building. PLUMBLINE_TEST_S3 names it to what runs elsewhere than here, as a bundle does. */
export function findS3() {
  if (process.env.PLUMBLINE_TEST_S3) return process.env.PLUMBLINE_TEST_S3;
  const built = tools.find();
  return findProgram(`versitygw${suffix}`) ?? (built && join(built, `versitygw${suffix}`));
}

/** The folder with `postgres` and `initdb`. Debian keeps them off the PATH, a folder for each version. */
export function findPostgres() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const onPath = findProgram("initdb");
  const folders = [
    ...(onPath ? [dirname(onPath)] : []),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  return folders.find((folder) => ["postgres", "initdb"].every((name) => isProgram(join(folder, name))));
}

/** Builds the S3 server where there is none. `{ s3, postgres }` are as found, `reasons` say why one is missing. */
export function ensureStores({ log = console.log } = {}) {
  let s3 = findS3();
  const reasons = [];
  if (s3 === undefined) {
    log("building the S3 server of the tests with go; this takes a few minutes, once");
    const { bin, reason } = tools.build();
    if (bin === undefined) reasons.push(`S3: ${reason}`);
    else s3 = join(bin, `versitygw${suffix}`);
  }
  const postgres = findPostgres();
  if (postgres === undefined) reasons.push("PostgreSQL: no `postgres` with `initdb` is installed");
  return { s3, postgres, reasons };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { s3, postgres, reasons } = ensureStores({ log: console.error });
  for (const found of [s3, postgres]) if (found !== undefined) console.log(found);
  for (const reason of reasons) console.error(reason);
  process.exitCode = reasons.length === 0 ? 0 : 1;
}
