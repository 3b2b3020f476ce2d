import { configDefaults, defineConfig } from "vitest/config";

/** What a quick run leaves out: whole stories, kills and faults at every point, and comparisons of thousands of drawn values. */
const long = [
  "test/e2e/**",
  "test/resilience/**",
  "test/provider/killed.test.ts",
  "test/**/differential.test.ts",
  "test/**/fuzz.test.ts",
  "test/engine/deployment/emulator.test.ts",
  "test/engine/language/bounds.test.ts",
];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(process.env["PLUMBLINE_QUICK_TESTS"] ? long : [])],
    setupFiles: ["test/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Tests wait for answers and for other processes about half of their time.
    maxWorkers: 4,
    // They leave nothing behind in their process: their files share one, and load the product once.
    isolate: false,
    server: { deps: { external: [/\/dist\/cli\//] } },
  },
});
