import type * as v1beta1 from "@orchernetes/api/admissionregistration/v1beta1";
import { alwaysDeny } from "@orchernetes/auth";
import { LongWork, systemEventLoop } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { ExpressionInput } from "../expressions/expression-input.ts";
import { Annotations } from "./annotations.ts";
import { compilePolicy } from "./compiled-policy.ts";
import { evaluatePolicy } from "./evaluate-policy.ts";

const noMetrics = { compiled: () => undefined, evaluated: () => undefined };

async function evaluated(spec: Partial<v1beta1.ValidatingAdmissionPolicySpec>, params?: object) {
  const failed: string[] = [];
  const observer = { expressions: noMetrics, conditionFailed: (name: string) => void failed.push(name) };
  const policy = compilePolicy("p", { variables: [], ...spec }, observer);
  const input = new ExpressionInput({
    longWork: new LongWork(systemEventLoop),
    signal: new AbortController().signal,
    attributes: {
      operation: "DELETE",
      user: { name: "u", groups: [], extra: {} },
      resource: { group: "", version: "v1", resource: "pods" },
      kind: { group: "", version: "v1", kind: "Pod" },
      subresource: "",
      namespace: "ns",
      name: "p",
      object: undefined,
      oldObject: { metadata: { name: "p" } },
      options: {},
      dryRun: true,
    },
    authorizer: alwaysDeny,
    params: params && { metadata: {}, ...params },
    composed: policy.composed,
  });
  const { decisions, annotations } = await evaluatePolicy(policy, input);
  return { decisions: decisions.map(({ seconds: _, ...decision }) => decision), annotations, failed };
}

const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
const deny = (message: string, reason = "Invalid") => ({ action: "deny", message, reason });
const long = "x".repeat(3000);

test.each<readonly [string, Partial<v1beta1.ValidatingAdmissionPolicySpec>, readonly unknown[]]>([
  ["what holds", { validations: [{ expression: "object == null" }] }, [{ action: "admit", failed: false }]],
  ["its own words", { validations: [{ expression: " false " }] }, [deny("failed expression: false")]],
  ["a message", { validations: [{ expression: "false", message: " no " }] }, [deny("no")]],
  [
    "a reason",
    { validations: [{ expression: "false", reason: "Forbidden" }] },
    [deny("failed expression: false", "Forbidden")],
  ],
  [
    "a computed message",
    { validations: [{ expression: "false", message: "no", messageExpression: "' not ' + oldObject.metadata.name" }] },
    [deny("not p")],
  ],
  ...["object.x", "'a\\nb'", "''", `'${long}' + '${long}'`].map(
    (messageExpression) =>
      [
        `a message that is none: ${messageExpression.slice(0, 10)}`,
        { validations: [{ expression: "false", message: "no", messageExpression }] },
        [deny("no")],
      ] as const,
  ),
  [
    "each validation",
    { validations: [{ expression: "false" }, { expression: "true" }, { expression: "1 / 0 == 1" }] },
    [
      deny("failed expression: false"),
      { action: "admit", failed: false },
      deny("expression '1 / 0 == 1' resulted in error: division by zero", ""),
    ],
  ],
  [
    "errors that are ignored",
    { failurePolicy: "Ignore", validations: [{ expression: "1 / 0 == 1" }] },
    [{ action: "admit", failed: true }],
  ],
  [
    "no parameters",
    { paramKind, validations: [{ expression: "params == null" }] },
    [{ action: "admit", failed: false }],
  ],
  [
    "a condition that is false",
    { matchConditions: [{ name: "c", expression: "false" }], validations: [{ expression: "false" }] },
    [],
  ],
  [
    "a condition that fails",
    { matchConditions: [{ name: "c", expression: "1 / 0 == 1" }], validations: [{ expression: "true" }] },
    [deny("expression '1 / 0 == 1' resulted in error: division by zero", "")],
  ],
  [
    "a stored expression that does not compile",
    { validations: [{ expression: "nothing" }] },
    [deny(expect.stringContaining("compilation error: compilation failed: ERROR") as unknown as string, "")],
  ],
])("%s", async (_, spec, want) => {
  expect((await evaluated(spec)).decisions).toEqual(want);
});

test("messages of validations that hold are not evaluated, and those of others stay in the budget", async () => {
  const ask = (path: string) => `authorizer.path('${path}').check('get').allowed()`;
  const items = `[${Array.from({ length: 100 }, (_, i) => i)}]`;
  // Most of the budget goes into questions, which cost much and take no time.
  const validation = {
    expression: `${ask("/a")} || ${ask("/b")}`,
    messageExpression: `${items}.all(a, ${items}.all(b, a + b >= 0)) ? 'a' : 'b'`,
  };
  const many = Array.from({ length: 14 }, () => validation);
  const { decisions } = await evaluated({ validations: many });
  expect(decisions[0]).toEqual(
    deny(
      "failed messageExpression: validation failed due to running out of cost budget, no further validation rules will be run",
      "",
    ),
  );
  const held = await evaluated({ validations: many.map((one) => ({ ...one, expression: `!(${one.expression})` })) });
  expect(held.decisions[0]).toEqual({ action: "admit", failed: false });
});

test("audit annotations", async () => {
  const annotation = (valueExpression: string, key = "k") => ({ key, valueExpression });
  const auditAnnotations = ["' a '", "null", "''", "1 / 0 == 1 ? 'a' : 'b'"].map((text) => annotation(text));
  expect((await evaluated({ auditAnnotations })).annotations).toEqual([
    { action: "publish", key: "k", value: "a" },
    { action: "exclude" },
    { action: "exclude" },
    { action: "error", error: expect.stringContaining("division by zero"), seconds: expect.any(Number) },
  ]);
  const ignored = await evaluated({ failurePolicy: "Ignore", auditAnnotations: auditAnnotations.slice(3) });
  expect(ignored.annotations).toEqual([{ action: "exclude" }]);
});

test("annotations of several bindings are joined, and cut at 10 KiB each", () => {
  const annotations = new Annotations();
  for (const value of ["a", "b", "a"]) annotations.add("k", value);
  annotations.add("long", "y".repeat(20_000));
  const published = new Map<string, string>();
  annotations.publish("p", (key, value) => published.set(key, value));
  expect(published.get("p/k")).toBe("a, b");
  expect(published.get("p/long")).toHaveLength(10_240);
});

test("conditions that fail are counted for the policy", async () => {
  const matchConditions = [{ name: "c", expression: "1 / 0 == 1" }];
  expect((await evaluated({ matchConditions, validations: [{ expression: "true" }] })).failed).toEqual(["p"]);
});
