import { describe, expect, test } from "vitest";
import { create } from "../../../test/support.ts";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "./webhook-configurations.ts";

type Row = readonly [name: string, input: object, want: readonly (string | RegExp)[]];
const matching = (want: Row[2]) => want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text)));

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://example.com" },
  rules: [rule],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};

describe.each([
  ["validating", validatingWebhookConfigurations],
  ["mutating", mutatingWebhookConfigurations],
] as const)("%s webhook", (_kind, definition) => {
  const errorsOf = (more: object): string[] => {
    const body = { metadata: { name: "x" }, webhooks: [{ ...webhook, ...more }] };
    const { errors } =
      definition === mutatingWebhookConfigurations
        ? create(mutatingWebhookConfigurations, body)
        : create(validatingWebhookConfigurations, body);
    return errors.map((text) => text.replace("webhooks[0].", ""));
  };

  test.each<readonly [resources: readonly string[], want: Row[2]]>([
    [["pods", "pods/status", "services"], []],
    [["*", "*/status"], []],
    [["*/*"], []],
    [["pods", "*"], []],
    [[], ["rules[0].resources: Required value"]],
    [["pods", ""], ["rules[0].resources[1]: Required value"]],
    [
      ["pods/*", "pods/status"],
      [`rules[0].resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`],
    ],
    [["pods/status", "pods/*"], []],
    [
      ["pods/*", "pods/*"],
      [`rules[0].resources[1]: Invalid value: "pods/*": if 'pods/*' is present, must not specify pods/*`],
    ],
    [
      ["*/status", "pods/status"],
      [`rules[0].resources[1]: Invalid value: "pods/status": if '*/status' is present, must not specify pods/status`],
    ],
    [
      ["*/*", "pods"],
      [
        `rules[0].resources: Invalid value: []string{"*/*", "pods"}: if '*/*' is present, must not specify other resources`,
      ],
    ],
    [
      ["*", "pods"],
      [
        `rules[0].resources: Invalid value: []string{"*", "pods"}: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
  ])("for %j", (resources, want) => {
    expect(errorsOf({ rules: [{ ...rule, resources }] })).toEqual(matching(want));
  });

  test.each<Row>([
    ["everything", { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], scope: "*" }, []],
    ["every operation", { ...rule, operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"] }, []],
    [
      "all groups and one",
      { ...rule, apiGroups: ["*", "apps"] },
      [
        `rules[0].apiGroups: Invalid value: []string{"*", "apps"}: if '*' is present, must not specify other API groups`,
      ],
    ],
    [
      "all versions and one",
      { ...rule, apiVersions: ["*", "v1"] },
      [
        `rules[0].apiVersions: Invalid value: []string{"*", "v1"}: if '*' is present, must not specify other API versions`,
      ],
    ],
    ["an empty version", { ...rule, apiVersions: ["v1", ""] }, ["rules[0].apiVersions[1]: Required value"]],
    [
      "an operation in lower case",
      { ...rule, operations: ["CREATE", "delete"] },
      [
        'rules[0].operations[1]: Unsupported value: "delete": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      ],
    ],
  ])("rule for %s", (_, one, want) => {
    expect(errorsOf({ rules: [one] })).toEqual(matching(want));
  });

  test.each<Row>([
    ["one second", { timeoutSeconds: 1 }, []],
    ["half a minute", { timeoutSeconds: 30 }, []],
    ["an unknown version beside a known one", { admissionReviewVersions: ["v2", "v1beta1"] }, []],
    [
      "a version that is no label",
      { admissionReviewVersions: ["v1", "1"] },
      [/^admissionReviewVersions\[1\]: Invalid value: "1": a DNS-1035 label must consist of/],
    ],
    ["no name", { name: "" }, ["name: Required value"]],
    ["a name in upper case", { name: "A.b.c" }, [/^name: Invalid value: "A\.b\.c": a lowercase RFC 1123 subdomain/]],
    [
      "a selector with an odd operator",
      { objectSelector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
      [/^objectSelector\.matchExpressions\[0\]\.operator: Invalid value: "Is": not a valid selector operator$/],
    ],
    [
      "a selector without values",
      { namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      [
        "namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
    [
      "a condition without parts",
      { matchConditions: [{ name: "", expression: " " }] },
      ["matchConditions[0].expression: Required value", "matchConditions[0].name: Required value"],
    ],
  ])("with %s", (_, more, want) => {
    expect(errorsOf(more)).toEqual(matching(want));
  });

  const service = { namespace: "n", name: "s" };
  const path = (text: string) => ({ service: { ...service, path: text } });
  test.each<Row>([
    ["the first port", { service: { ...service, port: 1 } }, []],
    ["the last port", { service: { ...service, port: 65_535 } }, []],
    [
      "a port too high",
      { service: { ...service, port: 65_536 } },
      ["service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive"],
    ],
    [
      "a service without names",
      { service: { namespace: "", name: "" } },
      [
        "service.name: Required value: service name is required",
        "service.namespace: Required value: service namespace is required",
      ],
    ],
    ["a path", path("/a/b.c/"), []],
    ["the root", path("/"), []],
    ["an empty path", path("//"), ['service.path: Invalid value: "//": segment[0] may not be empty']],
    ["an empty segment", path("/a//b"), ['service.path: Invalid value: "/a//b": segment[1] may not be empty']],
    [
      "an odd segment",
      path("/a/B"),
      [/^service\.path: Invalid value: "\/a\/B": segment\[1\]: a lowercase RFC 1123 subdomain/],
    ],
    ["a URL with a port and a path", { url: "https://example.com:8443/a" }, []],
    [
      "no URL at all",
      { url: "://" },
      [/^url: Required value: url must be a valid URL.*; desired format: https:\/\/host\[\/path\]$/],
    ],
    [
      "a URL with a user and a fragment",
      { url: "https://u:p@example.com#f" },
      [
        /^url: Invalid value: ".*": user information is not permitted in the URL$/,
        'url: Invalid value: "f": fragments are not permitted in the URL',
      ],
    ],
  ])("called at %s", (_, clientConfig, want) => {
    const errors = errorsOf({ clientConfig });
    expect(errors.map((text) => text.replace("clientConfig.", ""))).toEqual(matching(want));
  });
});
