import { defineConfig } from "vitest/config";

// One cluster at a time: two would fight for the machine, and say nothing about the project.
export default defineConfig({
  test: { fileParallelism: false, testTimeout: 300_000, hookTimeout: 600_000, teardownTimeout: 120_000 },
});
