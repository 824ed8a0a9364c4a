import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Starts with what takes longest, so that both workers end at about the same time. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ["containerd", "etcd", "process"];
    const place = ({ moduleId }: TestSpecification) => {
      const found = order.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found < 0 ? order.length : found;
    };
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

// Two clusters at a time: suites wait for timers, backoffs and leases more than they compute.
export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 300_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
  },
});
