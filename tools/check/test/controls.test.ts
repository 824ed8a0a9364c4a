import { describe, expect, test } from "vitest";
import { sections } from "../src/controls/index.ts";
import { judgeAll } from "../src/judge.ts";
import { renderJson, renderText } from "../src/report.ts";
import { controlPlaneCases } from "./cases/control-plane.ts";
import { nodeCases } from "./cases/nodes.ts";
import { policyCases } from "./cases/policies.ts";
import { evidenceOf, type Given } from "./support.ts";

const cases = [...controlPlaneCases, ...nodeCases, ...policyCases];
const controls = sections.flatMap((section) => section.controls);
const controlOf = (number: string) => {
  const found = controls.find((control) => control.number === number);
  if (found === undefined) throw new Error(`there is no control ${number}`);
  return found;
};

test.each(cases)("control %s is met and violated by what it is about", (number, good, bad) => {
  const control = controlOf(number);
  expect(control.judge(evidenceOf(good))).toMatchObject({ verdict: "met" });
  expect(control.judge(evidenceOf(bad))).toMatchObject({ verdict: "violated" });
});

test("every control has a case, but those that nothing can violate", () => {
  const covered = new Set(cases.map(([number]) => number));
  expect(controls.map(({ number }) => number).filter((number) => !covered.has(number))).toEqual(["5.4.2"]);
});

test("numbers are unique, and each control has a title and a remedy", () => {
  const numbers = controls.map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(controls.filter(({ title, remedy }) => title === "" || remedy === "")).toEqual([]);
});

test("without any evidence no control passes or fails", () => {
  const nothing = { ...evidenceOf({}), nodes: [], objects: undefined };
  expect(judgeAll(nothing).filter(({ status }) => status === "pass" || status === "fail")).toEqual([
    // The connection itself.
    expect.objectContaining({ number: "1.24/1.2.16" }),
  ]);
});

describe("evidence other than flags", () => {
  test.each<[string, Given, string]>([
    ["1.2.1", { anonymousStatus: 401 }, "met"],
    ["1.2.1", { anonymousStatus: 200 }, "violated"],
    ["1.2.16", { profilingStatus: 404 }, "met"],
    ["1.2.16", { profilingStatus: 200 }, "violated"],
    ["1.2.11", { activePlugins: new Set(["AlwaysPullImages"]) }, "met"],
    ["1.2.11", {}, "unknown"],
    ["1.2.12", { activePlugins: new Set(["PodSecurity"]) }, "met"],
    ["1.2.24", { flags: { "orch-apiserver": "--storage-backend=embedded" } }, "notApplicable"],
    ["2.1", { flags: { "orch-apiserver": "--storage-backend=embedded" } }, "notApplicable"],
    ["1.2.29", { flags: { "orch-apiserver": "" } }, "violated"],
    ["1.2.29", { flags: { "orch-apiserver": "--encryption-provider-config=/gone" } }, "unknown"],
    ["3.2.1", { flags: { "orch-apiserver": "" } }, "violated"],
    ["3.2.2", { flags: { "orch-apiserver": "--audit-policy-file=/gone" } }, "unknown"],
    ["4.2.1", {}, "unknown"],
    ["4.2.7", { agentFlags: "--config=/c" }, "met"],
    ["4.2.9", { settings: { serverTLSBootstrap: true } }, "met"],
    ["5.2.2", {}, "unknown"],
    ["5.2.6", { rejectedPods: new Map([["a", new Set<string>()]]) }, "met"],
    ["5.3.1", {}, "unknown"],
    ["1.1.3", { flags: { "orch-controller-manager": "" } }, "notApplicable"],
    ["1.1.3", {}, "unknown"],
  ])("control %s with %j is %s", (number, given, want) => {
    expect(controlOf(number).judge(evidenceOf(given)).verdict).toBe(want);
  });

  test("a node that violates a control counts although another cannot be seen", () => {
    const { nodes } = evidenceOf({ settings: { readOnlyPort: 10_255 } });
    const both = { ...evidenceOf({}), nodes: [...nodes, { ...nodes[0], name: "m", settings: undefined }] };
    expect(controlOf("4.2.4").judge(both as never)).toMatchObject({
      verdict: "violated",
      found: "n: readOnlyPort is 10255",
    });
  });
});

test("the report shows what was found and what to do, without control characters", () => {
  const evidence = evidenceOf({
    flags: { "orch-apiserver": "--profiling" },
    objects: { tokenSecrets: [{ metadata: { name: "a\u001b[31m", namespace: "b" } }] },
  });
  const judgements = judgeAll(evidence);
  const text = renderText(judgements);
  expect(text).toContain("FAIL  1.2.16 ");
  expect(text).toContain("found: --profiling=true (command line of process 1)");
  expect(text).toContain("remedy: orch-apiserver --profiling=false");
  expect(text).toContain("b/a?[31m");
  expect(text).not.toContain("\u001b");
  const { summary, controls: shown } = JSON.parse(renderJson(judgements));
  expect(summary.pass + summary.fail + summary.warn + summary["not applicable"]).toBe(shown.length);
  expect(shown).toContainEqual(expect.objectContaining({ number: "1.2.16", formerNumber: "1.2.17", status: "fail" }));
});
