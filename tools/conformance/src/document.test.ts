import { expect, test } from "vitest";
import { defectsOf, renderDocument, type StoreResults } from "./document.ts";

const run = (store: StoreResults["store"], results: Record<string, "passed" | "failed">): StoreResults => ({
  store,
  results: new Map(Object.entries(results)),
});
const DNS = "[sig-network] DNS should provide DNS for services [Conformance]";
const JOB = "[sig-apps] Job should adopt [Conformance]";
const RUNS = [run("embedded", { [JOB]: "passed", [DNS]: "failed" }), run("etcd", { [JOB]: "failed" })];

test("the document counts and explains every spec, per store", () => {
  const left = ["[sig-network] DNS should resolve DNS of names", "[sig-node] Pods should run", JOB];
  const document = renderDocument(RUNS, left, "2026-11-22");
  expect(document).toContain("| embedded | 1 | 0 | 2 | 0 | 1 |");
  expect(document).toContain("| etcd | 0 | 0 | 2 | 1 | 1 |");
  expect(document).toContain("| DNS should resolve DNS of names | missing | missing | needs cluster DNS |");
  expect(document).toContain("| Pods should run | not run | not run |  |");
  expect(document).toContain("| Job should adopt | passed | failed |  |");
  expect(document).toContain("| DNS should provide DNS for services | missing | missing | needs cluster DNS |");
  expect(document.indexOf("## sig-apps")).toBeLessThan(document.indexOf("## sig-network"));
});

test("only an unexplained failure is a defect", () => {
  expect(RUNS.map(defectsOf)).toEqual([[], [JOB]]);
});
