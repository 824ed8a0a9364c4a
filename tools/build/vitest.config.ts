import { defineConfig } from "vitest/config";

// One file at a time: several build the bundles in dist/ if those are outdated.
export default defineConfig({ test: { fileParallelism: false, testTimeout: 60_000, hookTimeout: 120_000 } });
