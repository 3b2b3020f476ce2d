import { configDefaults, defineConfig } from "vitest/config";

/** Rooms whose tests leave nothing behind in their process: their files share one, and load the product once. */
const sharing = ["cli", "core", "emulator", "engine", "provider", "pulumi", "repository", "service"].map(
  (room) => `test/${room}/**`,
);

export default defineConfig({
  test: {
    setupFiles: ["test/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Tests wait for answers and for other processes about half of their time.
    maxWorkers: 4,
    pool: "forks",
    server: { deps: { external: [/\/dist\/cli\//] } },
    projects: [
      {
        extends: true,
        test: { name: "sharing", include: sharing.map((room) => `${room}/*.test.ts`), isolate: false },
      },
      {
        extends: true,
        test: {
          name: "apart",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...sharing],
        },
      },
    ],
  },
});
