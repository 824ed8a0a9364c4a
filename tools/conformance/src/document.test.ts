import { expect, test } from "vitest";
import type { ClusterKind } from "./cluster-kind.ts";
import { type ClusterResults, defectsOf, renderDocument } from "./document.ts";

const run = (
  store: ClusterKind["store"],
  results: Record<string, "passed" | "failed">,
  kind: Partial<ClusterKind> = {},
): ClusterResults => ({
  store,
  nodes: 2,
  agent: "own",
  scheduler: "own",
  ...kind,
  results: new Map(Object.entries(results)),
});
const EVENT = "[sig-api-machinery] Events API should ensure that an event can be fetched, patched [Conformance]";
const JOB = "[sig-apps] Job should adopt [Conformance]";
const RUNS = [run("embedded", { [JOB]: "passed", [EVENT]: "failed" }), run("etcd", { [JOB]: "failed" })];

test("the document counts and explains every spec, per store", () => {
  const document = renderDocument(RUNS, ["[sig-node] Pods should run", JOB], "2026-11-22");
  expect(document).toContain("| embedded | 1 | 1 | 0 | 1 |");
  expect(document).toContain("| etcd | 0 | 0 | 1 | 2 |");
  expect(document).toMatch(/\| Events API .* patched \| right at 1\.27 \| not run \| the spec changes the note/);
  expect(document).toContain("| Pods should run | not run | not run |  |");
  expect(document).toContain("| Job should adopt | passed | failed |  |");
  expect(document.indexOf("## sig-apps")).toBeLessThan(document.indexOf("## sig-node"));
});

test("only an unexplained failure is a defect", () => {
  expect(RUNS.map(defectsOf)).toEqual([[], [JOB]]);
});

test("specs of nodes are also shown by number of nodes and by agent", () => {
  const spec = "[sig-node] Pods should run [NodeConformance]";
  const more = [
    run("embedded", { [spec]: "passed", [JOB]: "passed" }, { nodes: 1 }),
    run("embedded", { [spec]: "failed" }, { nodes: 1, agent: "reference" }),
  ];
  expect(renderDocument(RUNS, [], "2026-11-22")).not.toContain("## The node agent");
  const [all = "", nodes = ""] = renderDocument([...RUNS, ...more], [], "2026-11-22").split("## The node agent");
  expect(all).toContain("| embedded | 1 | 1 | 0 | 0 |");
  expect(all).not.toContain("Pods should run");
  expect(nodes).toContain("| 1 node | 1 | 0 | 0 | 0 | 0 |");
  expect(nodes).toContain("| Pods should run [NodeConformance] | not run | not run | passed | failed |  |");
});

test("specs of scheduling are also shown with the suite's scheduler", () => {
  const spec = "[sig-scheduling] SchedulerPreemption validates preemption [Conformance]";
  const more = run("embedded", { [spec]: "passed", [JOB]: "failed" }, { scheduler: "reference" });
  expect(renderDocument(RUNS, [], "2026-11-22")).not.toContain("## The scheduler");
  const document = renderDocument([...RUNS, more], [], "2026-11-22");
  expect(document).not.toContain("## The node agent");
  const [, scheduling = ""] = document.split("## The scheduler");
  expect(scheduling).toContain("| 2 nodes, the suite's scheduler | 1 | 0 | 0 | 0 |");
  expect(scheduling).toContain("| SchedulerPreemption validates preemption | not run | not run | passed |  |");
  expect(scheduling).not.toContain("Job should adopt");
});
