import { defineConfig } from "vitest/config";

// One file after the other: each fills the machine's disks, memory or process numbers, and measures what is left.
export default defineConfig({
  test: { fileParallelism: false, testTimeout: 600_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } },
});
