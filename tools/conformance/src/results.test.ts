import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readResults, readResultsIn } from "./results.ts";

test("reads the results of specs from the suite's output, whatever text surrounds them", () => {
  const output = [
    "Running in random order",
    '{"msg":"PASSED [sig-apps] Job should adopt [Conformance]","total":311,"completed":1,"skipped":3,"failed":0}',
    '•{"msg":"FAILED [sig-node] says \\"hi\\" [Conformance]","total":311,"completed":1,"skipped":3,"failed":1}',
    '{"msg":"Test Suite starting","total":311}',
    "",
  ].join("\n");
  expect([...readResults(output)]).toEqual([
    ["[sig-apps] Job should adopt [Conformance]", "passed"],
    ['[sig-node] says "hi" [Conformance]', "failed"],
  ]);
});

test("a spec that is run again has its latest result", () => {
  const line = (result: string) => `{"msg":"${result} a","total":1}`;
  expect(readResults(`${line("FAILED")}\n${line("PASSED")}`).get("a")).toBe("passed");
});

test("results of later files in a folder replace those of earlier ones, and others are kept", async () => {
  const folder = mkdtempSync(join(tmpdir(), "results-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const line = (result: string, spec: string) => `{"msg":"${result} ${spec}","total":1}\n`;
  writeFileSync(join(folder, "2-parallel.txt"), line("PASSED", "a"));
  writeFileSync(join(folder, "1-serial.txt"), line("FAILED", "a") + line("FAILED", "b"));
  expect(Object.fromEntries(await readResultsIn(folder))).toEqual({ a: "passed", b: "failed" });
  expect(await readResultsIn(join(folder, "none"))).toEqual(new Map());
});
