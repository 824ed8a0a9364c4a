import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Programs are started and folders with many files removed: seconds on a machine at rest, many times that beside other suites.
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
