import { defineConfig } from "vitest/config";

// Tests start processes and wait for them: that takes a second on an idle machine, and many times that while other
// suites run.
export default defineConfig({ test: { testTimeout: 120_000, hookTimeout: 150_000 } });
