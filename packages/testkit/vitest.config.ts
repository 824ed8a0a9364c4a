import { defineConfig } from "vitest/config";

// Processes are started and waited for: a second on a machine at rest, many times that beside other suites.
export default defineConfig({ test: { testTimeout: 120_000, hookTimeout: 150_000 } });
