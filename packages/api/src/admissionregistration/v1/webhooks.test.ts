import type { ExpressionChecker } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { context, create, defaulted, update } from "../../../test/support.ts";
import { validatingAdmissionPolicies } from "../v1beta1/index.ts";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "./webhook-configurations.ts";

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const webhook = {
  name: "a.example.com",
  clientConfig: { service: { namespace: "ns", name: "s" } },
  rules: [rule],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const configuration = (patch: object = {}): object => ({
  metadata: { name: "x" },
  webhooks: [{ ...webhook, ...patch }],
});

test("defaults", () => {
  const common = {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    clientConfig: { service: { port: 443 } },
    rules: [{ scope: "*" }],
  };
  expect(defaulted(validatingWebhookConfigurations, configuration()).webhooks?.[0]).toMatchObject(common);
  expect(defaulted(mutatingWebhookConfigurations, configuration()).webhooks?.[0]).toMatchObject({
    ...common,
    reinvocationPolicy: "Never",
  });
});

test.each<[name: string, patch: object, errors: string[]]>([
  ["nothing wrong", {}, []],
  [
    "short name",
    { name: "a.b" },
    ['webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
  ],
  [
    "side effects",
    { sideEffects: "Some" },
    ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
  ],
  [
    "no side effects",
    { sideEffects: null },
    ["webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun"],
  ],
  [
    "slow",
    { timeoutSeconds: 31 },
    ["webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"],
  ],
  [
    "no versions",
    { admissionReviewVersions: [] },
    ["webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1"],
  ],
  [
    "both ways to call",
    { clientConfig: { url: "https://x", service: { namespace: "ns", name: "s" } } },
    ["webhooks[0].clientConfig: Required value: exactly one of url or service is required"],
  ],
  [
    "plain text",
    { clientConfig: { url: "http://x/y?z" } },
    [
      `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'webhooks[0].clientConfig.url: Invalid value: "z": query parameters are not permitted in the URL',
    ],
  ],
  [
    "a wildcard with other values",
    { rules: [{ ...rule, operations: ["*", "CREATE"], resources: ["pods/*", "pods/status"] }] },
    [
      `webhooks[0].rules[0].operations: Invalid value: []string{"*", "CREATE"}: if '*' is present, must not specify other operations`,
      `webhooks[0].rules[0].resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`,
    ],
  ],
])("create: %s", (_name, patch, errors) => {
  expect(create(validatingWebhookConfigurations, configuration(patch)).errors).toEqual(errors);
});

test("names are unique", () => {
  const twins = { metadata: { name: "x" }, webhooks: [webhook, webhook] };
  expect(create(mutatingWebhookConfigurations, twins).errors).toEqual([
    'webhooks[1].name: Duplicate value: "a.example.com"',
  ]);
});

describe("expressions", () => {
  /** A checker that accepts only the expression `true`, and records its calls. */
  const asked: unknown[] = [];
  const checker = (params: boolean): ExpressionChecker => ({
    check(expression, result, authorizer = true) {
      asked.push([expression, result, params, authorizer]);
      return expression === "true" ? undefined : "compilation failed";
    },
    declare: (name, expression) => (expression === "true" ? undefined : `${name} is none`),
  });
  const ctx = { ...context, expressions: checker };
  const conditions = (...expressions: readonly string[]) => ({
    matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
  });

  test("of match conditions are checked, where they change", () => {
    const wrong = configuration(conditions(" true ", "no"));
    const at = 'webhooks[0].matchConditions[1].expression: Invalid value: "no": compilation failed';
    expect(create(validatingWebhookConfigurations, wrong, "u1", ctx).errors).toEqual([at]);
    expect(asked).toEqual([
      ["true", "bool", false, true],
      ["no", "bool", false, true],
    ]);
    expect(create(validatingWebhookConfigurations, wrong).errors).toEqual([]);
    const { object: old } = create(mutatingWebhookConfigurations, wrong);
    const { strategy } = mutatingWebhookConfigurations;
    const updated = (input: object) => update(mutatingWebhookConfigurations, old, input, strategy, ctx).errors;
    expect(updated(configuration({ ...conditions(" true ", "no"), timeoutSeconds: 5 }))).toEqual([]);
    expect(updated(configuration(conditions("no")))).toHaveLength(1);
  });

  test("match conditions are not compiled if there are too many", () => {
    asked.length = 0;
    const many = configuration(conditions(...Array.from({ length: 65 }, () => "no")));
    expect(create(validatingWebhookConfigurations, many, "u1", ctx).errors).toEqual([
      "webhooks[0].matchConditions: Too many: 65: must have at most 64 items",
    ]);
    expect(asked).toEqual([]);
  });

  test("of policies are checked, where they change", () => {
    const policy = (spec: object) => ({
      metadata: { name: "p" },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "true" }], ...spec },
    });
    const parts = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      ...conditions("a"),
      variables: [{ name: "v", expression: "b" }],
      validations: [{ expression: "c", messageExpression: "d" }],
      auditAnnotations: [{ key: "k", valueExpression: "e" }],
    };
    asked.length = 0;
    const created = create(validatingAdmissionPolicies, policy(parts), "u1", ctx);
    expect(created.errors).toEqual([
      'spec.matchConditions[0].expression: Invalid value: "a": compilation failed',
      'spec.variables[0].expression: Invalid value: "b": v is none',
      'spec.validations[0].expression: Invalid value: "c": compilation failed',
      'spec.validations[0].messageExpression: Invalid value: "d": compilation failed',
      'spec.auditAnnotations[0].valueExpression: Invalid value: "e": compilation failed',
    ]);
    expect(asked).toEqual([
      ["a", "bool", true, true],
      ["c", "bool", true, true],
      ["d", "string", true, false],
      ["e", "stringOrNull", true, true],
    ]);
    const { strategy } = validatingAdmissionPolicies;
    const updated = (spec: object) =>
      update(validatingAdmissionPolicies, created.object, policy(spec), strategy, ctx).errors;
    expect(updated(parts)).toEqual([]);
    expect(updated({ ...parts, ...conditions() })).toHaveLength(4);
    expect(updated({})).toEqual([]);
  });
});
