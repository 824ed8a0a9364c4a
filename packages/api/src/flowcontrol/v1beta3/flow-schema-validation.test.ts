import { expect, test } from "vitest";
import { create } from "../../../test/support.ts";
import { flowSchemas } from "./flow-schema.ts";
import { priorityLevelConfigurations } from "./priority-level-configuration.ts";

type Row = readonly [name: string, input: object, want: readonly (string | RegExp)[]];
const matching = (want: Row[2]) => want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text)));

const resources = { verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["a"] };
const paths = { verbs: ["get"], nonResourceURLs: ["/a"] };
const user = { kind: "User", user: { name: "u" } };
const errorsOf = (spec: object): string[] =>
  create(flowSchemas, { metadata: { name: "x" }, spec: { priorityLevelConfiguration: { name: "l" }, ...spec } }).errors;
const ofRule = (rule: object): string[] =>
  errorsOf({ rules: [{ subjects: [user], resourceRules: [resources], ...rule }] });

test.each<Row>([
  ["the first place", { matchingPrecedence: 2 }, []],
  ["the last place", { matchingPrecedence: 10_000 }, []],
  [
    "one behind the last",
    { matchingPrecedence: 10_001 },
    ["spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000"],
  ],
  ["flows by user", { distinguisherMethod: { type: "ByUser" } }, []],
  [
    "no level",
    { priorityLevelConfiguration: { name: "" } },
    ["spec.priorityLevelConfiguration.name: Required value: must reference a priority level"],
  ],
  [
    "a level with an odd name",
    { priorityLevelConfiguration: { name: "A" } },
    [/^spec\.priorityLevelConfiguration\.name: Invalid value: "A": a lowercase RFC 1123 subdomain/],
  ],
])("schema with %s", (_, spec, want) => {
  expect(errorsOf(spec)).toEqual(matching(want));
});

test.each<Row>([
  ["a group", { kind: "Group", group: { name: "g" } }, []],
  ["an account", { kind: "ServiceAccount", serviceAccount: { name: "a", namespace: "n" } }, []],
  ["all accounts of a namespace", { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "n" } }, []],
  [
    "an unknown kind",
    { kind: "Robot", user: { name: "u" } },
    ['kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"'],
  ],
  ["no user", { kind: "User" }, ["user: Required value: user is required when subject kind is 'User'"]],
  ["a user without a name", { kind: "User", user: { name: "" } }, ["user.name: Required value"]],
  ["a group without a name", { kind: "Group", group: { name: "" } }, ["group.name: Required value"]],
  [
    "an account without names",
    { kind: "ServiceAccount", serviceAccount: { name: "", namespace: "" } },
    [
      "serviceAccount.name: Required value",
      "serviceAccount.namespace: Required value: must specify namespace for service account",
    ],
  ],
  [
    "an account with odd names",
    { kind: "ServiceAccount", serviceAccount: { name: "A", namespace: "a.b" } },
    [
      /^serviceAccount\.name: Invalid value: "A": a lowercase RFC 1123 subdomain/,
      /^serviceAccount\.namespace: Invalid value: "a\.b": a lowercase RFC 1123 label/,
    ],
  ],
  [
    "a user and a group",
    { ...user, group: { name: "g" } },
    ["group: Forbidden: group is forbidden when subject kind is not 'Group'"],
  ],
])("subject: %s", (_, subject, want) => {
  const start = "spec.rules[0].subjects[0].";
  expect(ofRule({ subjects: [subject] }).map((text) => text.replace(start, ""))).toEqual(matching(want));
});

const known = '"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"';
test.each<Row>([
  ["everything", { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }, []],
  ["cluster-scoped resources", { ...resources, namespaces: [], clusterScope: true }, []],
  ["no verbs", { ...resources, verbs: [] }, ["verbs: Required value: verbs must contain at least one value"]],
  [
    "a wildcard beside an unknown verb",
    { ...resources, verbs: ["*", "read"] },
    [`verbs: Invalid value: []string{"*", "read"}: if '*' is present, must not specify other verbs`],
  ],
  [
    "an unknown verb",
    { ...resources, verbs: ["get", "read"] },
    [new RegExp(`^verbs: Unsupported value: .*"read".*: supported values: ${known}$`)],
  ],
  [
    "no groups",
    { ...resources, apiGroups: [] },
    ["apiGroups: Required value: resource rules must supply at least one api group"],
  ],
  [
    "all groups and one",
    { ...resources, apiGroups: ["*", "apps"] },
    [/^apiGroups: Invalid value: .*: if '\*' is present, must not specify other api groups$/],
  ],
  [
    "no resources",
    { ...resources, resources: [] },
    ["resources: Required value: resource rules must supply at least one resource"],
  ],
  [
    "all resources and one",
    { ...resources, resources: ["*", "pods"] },
    [/^resources: Invalid value: .*: if '\*' is present, must not specify other resources$/],
  ],
  [
    "all namespaces and one with an odd name",
    { ...resources, namespaces: ["*", "A"] },
    [/^namespaces: Invalid value: .*: if '\*' is present, must not specify other namespaces$/],
  ],
  [
    "a namespace with an odd name",
    { ...resources, namespaces: ["a", "A"] },
    [
      /^namespaces\[1\]: Invalid value: "A": each member of this list must be '\*' or a DNS-1123 label; a lowercase RFC 1123 label/,
    ],
  ],
])("resource rule: %s", (_, rule, want) => {
  const start = "spec.rules[0].resourceRules[0].";
  expect(ofRule({ resourceRules: [rule] }).map((text) => text.replace(start, ""))).toEqual(matching(want));
});

test.each<Row>([
  ["everything", { verbs: ["*"], nonResourceURLs: ["*"] }, []],
  ["the root and all below a path", { ...paths, nonResourceURLs: ["/", "/a/*"] }, []],
  [
    "a method that is no verb",
    { ...paths, verbs: ["post"] },
    [new RegExp(`^verbs: Unsupported value: .*"post".*: supported values: ${known}$`)],
  ],
  [
    "no paths",
    { ...paths, nonResourceURLs: [] },
    ["nonResourceURLs: Required value: nonResourceURLs must contain at least one value"],
  ],
  [
    "all paths and one that is wrong",
    { ...paths, nonResourceURLs: ["*", "a"] },
    [/^nonResourceURLs: Invalid value: .*: if '\*' is present, must not specify other non-resource URLs$/],
  ],
  ...(
    [
      ["", "must not be empty"],
      ["a", "must start with slash"],
      ["/a b", "must not contain white-space"],
      ["/a//b", "must not contain double slash"],
      ["/a*", "wildcard can only do suffix matching"],
      ["/*/a", "wildcard can only do suffix matching"],
      ["/*/*", "wildcard can only do suffix matching"],
    ] as const
  ).map(
    ([url, detail]): Row => [
      `path ${JSON.stringify(url)}`,
      { ...paths, nonResourceURLs: ["/a", url] },
      [`nonResourceURLs[1]: Invalid value: "${url}": ${detail}`],
    ],
  ),
])("non-resource rule: %s", (_, rule, want) => {
  const start = "spec.rules[0].nonResourceRules[0].";
  const errors = ofRule({ resourceRules: [], nonResourceRules: [rule] });
  expect(errors.map((text) => text.replace(start, ""))).toEqual(matching(want));
});

const limit = (limited: object, more: object = {}) => ({ spec: { type: "Limited", limited, ...more } });
const queue = (queuing: object) => limit({ limitResponse: { type: "Queue", queuing } });
const inQueue = "spec.limited.limitResponse.queuing";
test.each<Row>([
  ["one queue", queue({ queues: 1, handSize: 1, queueLengthLimit: 1 }), []],
  ["the most queues", queue({ queues: 10_000_000, handSize: 2 }), []],
  ["60 bits of hash", queue({ queues: 1024, handSize: 6 }), []],
  [
    "numbers below zero",
    queue({ queues: 64, handSize: -1, queueLengthLimit: -1 }),
    [
      `${inQueue}.queueLengthLimit: Invalid value: -1: must be positive`,
      `${inQueue}.handSize: Invalid value: -1: must be positive`,
    ],
  ],
  [
    "a queue in a level that rejects",
    limit({ limitResponse: { type: "Reject", queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } } }),
    [`${inQueue}: Forbidden: must be nil if limited.limitResponse.type is not Limited`],
  ],
  ["all lent", limit({ limitResponse: { type: "Reject" }, lendablePercent: 100, borrowingLimitPercent: 0 }), []],
  [
    "less than nothing lent or borrowed",
    limit({ limitResponse: { type: "Reject" }, lendablePercent: -1, borrowingLimitPercent: -1 }),
    [
      "spec.limited.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive",
      "spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer",
    ],
  ],
  [
    "no limits",
    { spec: { type: "Limited" } },
    ["spec.limited: Required value: must not be empty when type is Limited"],
  ],
])("level with %s", (_, body, want) => {
  expect(create(priorityLevelConfigurations, { metadata: { name: "x" }, ...body }).errors).toEqual(matching(want));
});
