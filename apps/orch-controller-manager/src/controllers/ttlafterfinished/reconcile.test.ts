import { expect, test } from "vitest";
import { meta, template } from "../../testing/builders.ts";
import type { Job } from "../job/job-pods.ts";
import { expiresInMs } from "./reconcile.ts";

test.each([
  ["due", 60, "Complete", 0],
  ["failed, not yet", 90, "Failed", 30_000],
  ["runs", 60, "Suspended", undefined],
  ["stays", undefined, "Complete", undefined],
])("%s", (_, ttl, type, want) => {
  const job: Job = {
    metadata: meta("j"),
    spec: { template: template(), ...(ttl === undefined ? {} : { ttlSecondsAfterFinished: ttl }) },
    status: { conditions: [{ type, status: "True", lastTransitionTime: "2024-01-01T00:00:00Z" }] },
  };
  expect(expiresInMs(job, new Date("2024-01-01T00:01:00Z"))).toBe(want);
});
