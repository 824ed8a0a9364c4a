import { expect, test } from "vitest";
import { readResults } from "./results.ts";

test("reads the results of specs from the suite's output, whatever stands around them", () => {
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

test("a spec that is run again has its last result", () => {
  const line = (result: string) => `{"msg":"${result} a","total":1}`;
  expect(readResults(`${line("FAILED")}\n${line("PASSED")}`).get("a")).toBe("passed");
});
