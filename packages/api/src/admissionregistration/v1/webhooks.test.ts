import { expect, test } from "vitest";
import { create, defaulted } from "../../../test/support.ts";
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
      `webhooks[0].clientConfig.url: Invalid value: "http://x/y?z": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'webhooks[0].clientConfig.url: Invalid value: "http://x/y?z": query parameters are not permitted in the URL',
    ],
  ],
  [
    "everything and more",
    { rules: [{ ...rule, operations: ["*", "CREATE"], resources: ["pods/*", "pods/status"] }] },
    [
      `webhooks[0].rules[0].operations: Invalid value: []string{"*", "CREATE"}: if '*' is present, must not specify other values`,
      `webhooks[0].rules[0].resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`,
    ],
  ],
])("create: %s", (_name, patch, errors) => {
  expect(create(validatingWebhookConfigurations, configuration(patch)).errors).toEqual(errors);
});

test("names are used once", () => {
  const twins = { metadata: { name: "x" }, webhooks: [webhook, webhook] };
  expect(create(mutatingWebhookConfigurations, twins).errors).toEqual([
    'webhooks[1].name: Duplicate value: "a.example.com"',
  ]);
});
