import type { CriClient } from "@orchernetes/cri";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { testContainer, testPod } from "../testing/pods.ts";
import { createContainerKiller } from "./container-killer.ts";

test("the longest of grace periods is as long as a runtime can wait, and hooks still run", async () => {
  const calls: unknown[] = [];
  const cri = {
    runtime: {
      async execSync() {
        calls.push("hook");
        return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 };
      },
      stopContainer: async ({ timeout }: { timeout: number }) => void calls.push(timeout),
    },
  } as unknown as CriClient;
  const pod = testPod({
    terminationGracePeriodSeconds: Number.MAX_SAFE_INTEGER,
    containers: [{ name: "c", image: "i", lifecycle: { preStop: { exec: { command: ["true"] } } } }],
  });
  const killer = createContainerKiller({ cri, clock: systemClock, logger: silentLogger });
  await killer.kill(testContainer(pod), {
    pod,
    graceSeconds: undefined,
    recordEvent: () => undefined,
    signal: new AbortController().signal,
  });
  expect(calls).toEqual(["hook", 2_147_483]);
});
