import { defineConfig } from "vitest/config";

// Tests start daemons and wait for them: a busy machine makes them slow, not wrong.
export default defineConfig({
  test: { testTimeout: 60_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } },
});
