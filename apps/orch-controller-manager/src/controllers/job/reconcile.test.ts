import type { batch } from "@orchernetes/api";
import { expect, test } from "vitest";
import { meta, pod as podOf, template } from "../../testing/builders.ts";
import { formatIndexes, parseIndexes } from "./indexes.ts";
import { type Job, jobPod, type Pod, trackingFinalizer } from "./job-pods.ts";
import { reconcile } from "./reconcile.ts";

const now = new Date("2024-01-01T01:00:00Z");
const startTime = "2024-01-01T00:00:00Z";

function job(spec: Partial<batch.JobSpec> = {}, status: batch.JobStatus = {}): Job {
  return {
    metadata: meta("j"),
    spec: { parallelism: 1, completions: 1, backoffLimit: 1, template: template(), ...spec },
    status: { startTime, ready: 0, ...status },
  };
}
function pod(name: string, phase: "Running" | "Succeeded" | "Failed" = "Running", index?: number, tracked = true): Pod {
  const made = podOf(name, { phase });
  const annotations: Record<string, string> =
    index === undefined ? {} : { "batch.orchernetes.io/job-completion-index": String(index) };
  return { ...made, metadata: { ...made.metadata, annotations, finalizers: tracked ? [trackingFinalizer] : [] } };
}

function decide(of: Job, pods: readonly Pod[], settled = true): string {
  const names = (list: readonly Pod[]): string => list.map(({ metadata }) => metadata.name).join("+");
  return reconcile({ job: of, pods, settled }, now)
    .actions.flatMap((action) => {
      switch (action.type) {
        case "CreatePods":
          return [`create ${action.indexes.map((index) => index ?? "any").join("+")}`];
        case "DeletePods":
          return [`delete ${names(action.pods)}`];
        case "Release":
          return [`release ${names(action.pods)}`];
        case "Event":
          return [action.reason];
        default:
          return [];
      }
    })
    .join(", ");
}

const indexed = { completionMode: "Indexed", completions: 4, parallelism: 2 } as const;
const policy = (action: "FailJob" | "Ignore") => ({
  podFailurePolicy: { rules: [{ action, onPodConditions: [{ type: "Ready", status: "False" as const }] }] },
});
const noted = (uncountedTerminatedPods: batch.UncountedTerminatedPods) => ({ uncountedTerminatedPods });

test.each<[string, Job, readonly Pod[], string]>([
  ["starts", job(), [], "create any"],
  ["in parallel", job({ parallelism: 3, completions: 5 }), [pod("a")], "create any+any"],
  ["no more than is missing", job({ parallelism: 3, completions: 5 }, { succeeded: 4 }), [], "create any"],
  ["runs", job(), [pod("a")], ""],
  ["too many", job({ parallelism: 0 }), [pod("a")], "delete a"],
  ["notes the end, then lets go", job(), [pod("a", "Succeeded")], "release a"],
  [
    "completes when all are counted",
    job({}, noted({ succeeded: ["uid-a"] })),
    [pod("a", "Succeeded", undefined, false)],
    "Completed",
  ],
  ["fails for good", job({ backoffLimit: 0 }, { failed: 1 }), [], "BackoffLimitExceeded"],
  ["failing, others go first", job({ backoffLimit: 0 }, { failed: 1 }), [pod("a")], "delete a"],
  ["too late", job({ activeDeadlineSeconds: 60 }), [], "DeadlineExceeded"],
  ["suspended", job({ suspend: true }), [pod("a")], "Suspended, delete a"],
  ["by index", job(indexed, { completedIndexes: "0" }), [pod("a", "Running", 2)], "create 1"],
  ["an index twice", job(indexed), [pod("a", "Running", 2), pod("b", "Running", 2)], "delete b"],
  ["all indexes", job(indexed, { completedIndexes: "0-3" }), [], "Completed"],
  ["without a number, one is enough", job({ completions: undefined }, { succeeded: 1 }), [], "Completed"],
  ["policy fails", job(policy("FailJob")), [pod("a", "Failed")], "release a"],
  [
    "policy has failed",
    job(policy("FailJob"), { conditions: [{ type: "FailureTarget", status: "True", message: "m" }] }),
    [],
    "PodFailurePolicy",
  ],
  ["finished", job({}, { conditions: [{ type: "Complete", status: "True" }] }), [pod("a", "Succeeded")], "release a"],
])("%s", (_, of, pods, want) => expect(decide(of, pods)).toBe(want));

test("caches that are behind make no pods", () => expect(decide(job(), [], false)).toBe(""));

test("a job does not fail before its pods are in the cache", () => {
  const late = job({ activeDeadlineSeconds: 60 });
  expect(decide(late, [], false)).toBe("");
  expect(decide(late, [pod("a")], false)).toBe("delete a");
});

test("a status notes 500 ended pods at most, and as many are released", () => {
  const many = Array.from({ length: 700 }, (_, i) => pod(`p${i}`, "Succeeded"));
  const failed = Array.from({ length: 700 }, (_, i) => pod(`f${i}`, "Failed"));
  const inTurn = (of: Job, pods: readonly Pod[]) => {
    const { actions } = reconcile({ job: of, pods, settled: true }, now);
    const update = actions.find((action) => action.type === "UpdateStatus");
    const release = actions.find((action) => action.type === "Release");
    return [update?.job.status, release?.pods.length] as const;
  };
  const [status, released] = inTurn(job({ completions: 9999, backoffLimit: 9999 }), [...many, ...failed]);
  expect([status?.uncountedTerminatedPods?.succeeded?.length, released]).toEqual([500, 500]);
  expect(status?.uncountedTerminatedPods?.failed).toBeUndefined();
  // A second status while those are being released notes no more.
  const [again, releasedAgain] = inTurn(job({ completions: 9999, backoffLimit: 9999 }, status), [...many, ...failed]);
  expect([again?.uncountedTerminatedPods?.succeeded?.length ?? 500, releasedAgain]).toEqual([500, 500]);
  const byIndex = Array.from({ length: 700 }, (_, i) => pod(`p${i}`, "Succeeded", i));
  const [indexedStatus, indexedReleased] = inTurn(job({ ...indexed, completions: 9999 }), byIndex);
  expect([indexedStatus?.completedIndexes, indexedReleased]).toEqual(["0-499", 500]);
  const done = job({}, { conditions: [{ type: "Complete", status: "True" }] });
  expect(inTurn(done, many)[1]).toBe(500);
});

test("finished pods are counted once, after their finalizer was removed", () => {
  const of = job({ completions: 3, backoffLimit: 9 }, { succeeded: 1, ...noted({ succeeded: ["uid-a", "uid-b"] }) });
  const pods = [pod("a", "Succeeded", undefined, false), pod("b", "Succeeded"), pod("c", "Failed")];
  const [update] = reconcile({ job: of, pods, settled: true }, now).actions;
  expect(update).toMatchObject({
    job: { status: { succeeded: 2, uncountedTerminatedPods: { succeeded: ["uid-b"], failed: ["uid-c"] } } },
  });
});

test("ignored failures do not count", () => {
  const [update] = reconcile({ job: job(policy("Ignore")), pods: [pod("a", "Failed")], settled: true }, now).actions;
  expect(update?.type).toBe("Release");
});

test("failures delay the next pod", () => {
  const failed = { ...pod("a", "Failed", undefined, false) };
  failed.metadata = { ...failed.metadata, creationTimestamp: "2024-01-01T00:59:55Z" };
  const plan = reconcile({ job: job({}, { failed: 1 }), pods: [failed], settled: true }, now);
  expect(plan).toMatchObject({ actions: [], requeueAfterMs: 5000 });
});

test("the pod of an index", () => {
  expect(jobPod(job(indexed), 3)).toMatchObject({
    metadata: { generateName: "j-3-", finalizers: [trackingFinalizer] },
    spec: { hostname: "j-3", containers: [{ env: [{ name: "JOB_COMPLETION_INDEX" }] }] },
  });
});

test.each(["", "0", "0,1", "0-2,5", "1,3-5,8,9"])("indexes %j", (text) => {
  expect(formatIndexes(parseIndexes(text, 10))).toBe(text);
});
