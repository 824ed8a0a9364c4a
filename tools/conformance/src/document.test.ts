import { expect, test } from "vitest";
import { defectsOf, renderDocument, type StoreResults } from "./document.ts";

const run = (store: StoreResults["store"], results: Record<string, "passed" | "failed">): StoreResults => ({
  store,
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
