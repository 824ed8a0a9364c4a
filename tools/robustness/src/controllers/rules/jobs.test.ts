import { expect, test } from "vitest";
import type { Facts } from "../facts/facts.ts";
import { historyOf, job, pod, removed } from "../history/testing.ts";
import { checkControllers } from "./check-controllers.ts";

type Steps = readonly (Facts | { readonly removed: Facts })[];

const plain = job();
const run = (name: string, fields = {}) => pod(name, plain, { tracked: true, ...fields });
const done = (name: string, fields = {}) => run(name, { phase: "Succeeded", ...fields });
const failed = (name: string) => run(name, { phase: "Failed" });
const indexed = job({ indexed: true });
const withIndex = (name: string, index: number, fields = {}) => run(name, { index, ...fields });
const doneIndex = (name: string, index: number) => withIndex(name, index, { phase: "Succeeded" });
const firstDone = [indexed, withIndex("a", 0), doneIndex("a", 0)];
const allDone = [plain, run("a"), done("a"), run("b"), done("b"), run("c"), done("c")];
const counting = (succeeded: string[], failures: string[] = []) => ({ succeeded, failed: failures });

test.each<[string, Steps]>([
  [
    "a job that completes",
    [...allDone, job({ uncounted: counting(["a", "b", "c"]) }), job({ succeeded: 3, finished: "Complete" })],
  ],
  [
    "a pod that fails and is created again",
    [plain, run("a"), failed("a"), run("b"), job({ uncounted: counting([], ["a"]) })],
  ],
  [
    "indexes that complete",
    [...firstDone, job({ indexed: true, succeeded: 1, completedIndexes: [0] }), withIndex("b", 1)],
  ],
  [
    "an index that is tried again",
    [indexed, withIndex("a", 0), withIndex("a", 0, { phase: "Failed" }), withIndex("b", 0)],
  ],
  [
    "a success of a pod that was given up before",
    [
      plain,
      run("a"),
      run("a", { tracked: false }),
      done("a", { tracked: false }),
      removed(done("a", { tracked: false })),
    ],
  ],
  ["a job that fails", [plain, run("a"), run("b"), failed("a"), failed("b"), job({ failed: 2, finished: "Failed" })]],
  ["parallelism that was lowered a moment ago", [plain, run("a"), job({ generation: 2, parallelism: 1 }), run("b")]],
])("accepts %s", (_, steps) => {
  expect(checkControllers(historyOf(steps))).toEqual([]);
});

test.each<[string, Steps, string]>([
  ["more than parallelism", [plain, run("a"), run("b"), run("c")], "one of 3 active pods of sum; parallelism is 2"],
  [
    "more than parallelism long after it was lowered",
    [
      plain,
      job({ generation: 2, parallelism: 1 }),
      ...Array.from({ length: 6 }, () => job({ generation: 2, parallelism: 1 })),
      run("a"),
      run("b"),
    ],
    "one of 2 active pods of sum; parallelism is 1",
  ],
  [
    "more pods than are missing",
    [...allDone.slice(0, 5), run("c"), run("d")],
    "one of 2 active pods of sum, which has completed 2 of 3",
  ],
  ["a second active pod of an index", [indexed, withIndex("a", 0), withIndex("b", 0)], "second active pod of index 0"],
  [
    "a pod of an index that is completed",
    [...firstDone, withIndex("b", 0)],
    "created for index 0 of sum, which is completed",
  ],
  ["an index that does not exist", [indexed, withIndex("a", 3)], "created with index 3 of 3"],
  [
    "an index that completes twice",
    [indexed, withIndex("a", 0), withIndex("b", 0), doneIndex("a", 0), doneIndex("b", 0)],
    "completes index 0 of sum a second time",
  ],
  [
    "a pod of a finished job",
    [...allDone, job({ succeeded: 3, finished: "Complete" }), run("d")],
    "created for sum, which is Complete",
  ],
  [
    "a pod that is removed uncounted",
    [plain, run("a"), removed(run("a"))],
    "removed with its finalizer, but not counted",
  ],
  [
    "a pod that is counted twice",
    [plain, run("a"), done("a"), job({ succeeded: 1, uncounted: counting(["a"]) })],
    "counts 2 pods that succeeded, of 1",
  ],
  ["a failure that was none", [plain, run("a"), done("a"), job({ failed: 1 })], "counts 1 pods that failed, of 0"],
  [
    "a count that goes back",
    [plain, run("a"), done("a"), job({ succeeded: 1 }), plain],
    "counts fewer ended pods than before",
  ],
  [
    "an index completed by nobody",
    [indexed, job({ indexed: true, succeeded: 1, completedIndexes: [1] })],
    "no pod of it has succeeded",
  ],
  [
    "an index that is taken back",
    [...firstDone, job({ indexed: true, succeeded: 1, completedIndexes: [0] }), indexed],
    "index 0 is no longer completed",
  ],
  [
    "an index that is named twice",
    [...firstDone, job({ indexed: true, succeeded: 2, completedIndexes: [0, 0] })],
    "names one twice",
  ],
  [
    "a wrong number of indexes",
    [...firstDone, job({ indexed: true, succeeded: 2, completedIndexes: [0] })],
    "succeeded is 2 with 1 completed",
  ],
  [
    "a completion too early",
    [...allDone.slice(0, 5), job({ succeeded: 2, finished: "Complete" })],
    "Complete with 2 of 3",
  ],
  [
    "a failure below the limit",
    [plain, run("a"), failed("a"), job({ failed: 1, finished: "Failed" })],
    "backoffLimit is 1",
  ],
  [
    "a job that is no longer finished",
    [...allDone, job({ succeeded: 3, finished: "Complete" }), job({ succeeded: 3 })],
    "is no longer Complete",
  ],
])("finds %s", (_, steps, want) => {
  expect(checkControllers(historyOf(steps)).join("\n")).toContain(want);
});
