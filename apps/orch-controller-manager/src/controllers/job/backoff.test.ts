import { expect, test } from "vitest";
import { backoffMs, restartsExceeded } from "./backoff.ts";
import type { Job, Pod } from "./job-pods.ts";

const now = new Date("2026-01-01T01:00:00Z");

/** A pod that ended so many seconds ago. */
const ended = (phase: "Failed" | "Succeeded", secondsAgo: number) =>
  ({
    metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
    status: {
      phase,
      containerStatuses: [
        { state: { terminated: { finishedAt: new Date(now.getTime() - secondsAgo * 1000).toISOString() } } },
      ],
    },
  }) as unknown as Pod;

test.each([
  ["no pods", [], 0],
  ["a success", [ended("Succeeded", 1)], 0],
  ["a failure just now", [ended("Failed", 0)], 10_000],
  ["a failure 4 s ago", [ended("Failed", 4)], 6000],
  ["a failure long ago", [ended("Failed", 100)], 0],
  ["three failures", [ended("Failed", 0), ended("Failed", 30), ended("Failed", 60)], 40_000],
  ["many failures", Array.from({ length: 40 }, () => ended("Failed", 0)), 360_000],
  ["failures before the last success", [ended("Failed", 5), ended("Failed", 6), ended("Succeeded", 1)], 0],
])("the delay after %s", (_, pods, want) => {
  expect(backoffMs(pods, now)).toBe(want);
});

const job = (restartPolicy: string, backoffLimit?: number) =>
  ({ spec: { template: { spec: { restartPolicy } }, backoffLimit } }) as unknown as Job;
const restarted = (restartCount: number, phase = "Running") =>
  ({ status: { phase, containerStatuses: [{ restartCount }] } }) as unknown as Pod;

test.each([
  ["below the limit", job("OnFailure", 3), [restarted(2)], false],
  ["at the limit", job("OnFailure", 3), [restarted(1), restarted(2)], true],
  ["at the default limit of 6", job("OnFailure"), [restarted(6)], true],
  ["without restarts at limit 0", job("OnFailure", 0), [restarted(0)], false],
  ["with one restart at limit 0", job("OnFailure", 0), [restarted(1)], true],
  ["of finished pods", job("OnFailure", 3), [restarted(9, "Failed")], false],
  ["with policy Never", job("Never", 3), [restarted(9)], false],
])("restarts %s", (_, of, pods, want) => {
  expect(restartsExceeded(of, pods)).toBe(want);
});
