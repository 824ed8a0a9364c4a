import { existsSync } from "node:fs";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";

// Recorded conversations with another server are no part of the project: tests that compare with them run where they are at hand.
const recordings = join(import.meta.dirname, "../../../shared/spec/recordings");

export default defineConfig({
  test: { exclude: [...configDefaults.exclude, ...(existsSync(recordings) ? [] : ["**/recordings.test.ts"])] },
});
