import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * What a quick run leaves out: whole stories, kills and faults at every point, thousands of drawn values, packages, browsers, shells, terminals, whole
 * accounts, programs, pipelines, servers that keep states.
 */
const long = [
  "test/e2e/**",
  "test/resilience/**",
  "test/provider/killed.test.ts",
  "test/**/differential.test.ts",
  "test/**/fuzz.test.ts",
  "test/cli/imports/adopt.test.ts",
  "test/cli/render/html.test.ts",
  "test/cli/imports/all.test.ts",
  "test/cli/imports/one.test.ts",
  "test/cli/shells.test.ts",
  "test/cli/render/terminal.test.ts",
  "test/emulator/areas/vpc/ranges.test.ts",
  "test/engine/deployment/emulator.test.ts",
  "test/engine/deployment/names.test.ts",
  "test/engine/language/readers.test.ts",
  "test/engine/state/state.test.ts",
  "test/provider/objectstorage/objectstorage.test.ts",
  "test/pulumi/process.test.ts",
  "test/pulumi/unfinished/resumed.test.ts",
  "test/torture/**",
  "test/engine/language/bounds.test.ts",
  "test/site/site.test.ts",
  "test/kubernetes/**",
  "test/packages/**",
  "test/cli/policies.test.ts",
  "test/cli/imports/unowned.test.ts",
  "test/cli/watch/**",
  "test/deploy/**",
  "test/engine/state/backends/{s3,postgres}*.test.ts",
  "test/programs/**",
  "test/team/**",
  "test/emulator/page/page.test.ts",
];

/** Stories first: they take longest, and what is short fills the gaps at the end. */
class StoriesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isStory = ({ moduleId }: TestSpecification) => /\/test\/(e2e|resilience|team)\//.test(moduleId);
    return [...sorted.filter(isStory), ...sorted.filter((file) => !isStory(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(process.env["PLUMBLINE_QUICK_TESTS"] ? long : [])],
    setupFiles: ["test/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine may take its time for a sync or a process; what never comes true still fails.
    expect: { poll: { timeout: 30_000 } },
    pool: "forks",
    // Tests wait for answers and for other processes about half of their time.
    maxWorkers: 4,
    // They leave nothing behind in their process: their files share one, and load the product once.
    isolate: false,
    sequence: { sequencer: StoriesFirst },
    server: { deps: { external: [/\/dist\/cli\//] } },
  },
});
