import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Containers are started, which takes seconds on an idle machine and many times that while other suites run.
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
