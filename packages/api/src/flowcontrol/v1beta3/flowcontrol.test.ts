import { expect, test } from "vitest";
import { create, defaulted, row } from "../../../test/support.ts";
import { priorityLevelFromStored, priorityLevelToStored } from "../v1beta2/conversion.ts";
import { priorityLevelConfigurations as oldLevels } from "../v1beta2/priority-level-configuration.ts";
import { flowSchemas } from "./flow-schema.ts";
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from "./mandatory.ts";
import { priorityLevelConfigurations } from "./priority-level-configuration.ts";

const metadata = { name: "x" };
const level = (limited: object): object => ({ metadata, spec: { type: "Limited", limited } });
const queue = (queuing: object): object => level({ limitResponse: { type: "Queue", queuing } });
const subjects = [{ kind: "User", user: { name: "jane" } }];
const schema = (rule: object, more: object = {}): object => ({
  metadata,
  spec: { priorityLevelConfiguration: { name: "l" }, rules: [{ subjects, ...rule }], ...more },
});
const nonResourceRules = [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }];

test.each<[name: string, body: object, errors: string[]]>([
  ["queue", queue({}), []],
  ["reject", level({ limitResponse: { type: "Reject" } }), []],
  [
    "hand larger than the deck",
    queue({ queues: 4, handSize: 5 }),
    ["spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)"],
  ],
  [
    "hand size that needs too many bits",
    queue({ queues: 1024, handSize: 7 }),
    [
      "spec.limited.limitResponse.queuing.handSize: Invalid value: 7: required entropy bits of deckSize 1024 and handSize 7 should not be greater than 60",
    ],
  ],
  [
    "exempt by another name",
    { metadata, spec: { type: "Exempt" } },
    [`spec.type: Invalid value: "Exempt": type must be 'Exempt' if and only if name is 'exempt'`],
  ],
])("level: %s", (_name, body, errors) => {
  expect(create(priorityLevelConfigurations, body).errors).toEqual(errors);
});

test("defaults of a level with queues", () => {
  expect(defaulted(priorityLevelConfigurations, queue({})).spec.limited).toEqual({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
  });
});

test.each<[name: string, body: object, errors: string[]]>([
  ["paths", schema({ nonResourceRules }), []],
  [
    "no rules",
    schema({}),
    ["spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty"],
  ],
  [
    "the exempt place",
    schema({ nonResourceRules }, { matchingPrecedence: 1 }),
    ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  ],
  [
    "wrong subject",
    schema({ nonResourceRules, subjects: [{ kind: "Group", user: { name: "jane" } }] }),
    [
      "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
      "spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'",
    ],
  ],
  [
    "no namespace",
    schema({ resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] }),
    [
      "spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace",
    ],
  ],
])("schema: %s", (_name, body, errors) => {
  expect(create(flowSchemas, body).errors).toEqual(errors);
});

test.each(["exempt", "catch-all"])("mandatory objects of every cluster are valid and cannot be changed: %s", (name) => {
  const fixed = [
    create(flowSchemas, { metadata: { name }, spec: mandatoryFlowSchemas[name] }),
    create(priorityLevelConfigurations, { metadata: { name }, spec: mandatoryPriorityLevels[name] }),
  ];
  expect(fixed.map(({ errors }) => errors)).toEqual([[], []]);
  const changed = create(flowSchemas, {
    metadata: { name },
    spec: { ...mandatoryFlowSchemas[name], matchingPrecedence: 7 },
  });
  expect(changed.errors).toEqual([expect.stringMatching(`: spec of '${name}' must equal the fixed value$`)]);
});

test("the older version has a different name for shares", () => {
  const old = defaulted(oldLevels, level({ assuredConcurrencyShares: 7, limitResponse: { type: "Reject" } }));
  const stored = priorityLevelToStored(old);
  expect(stored.spec.limited?.nominalConcurrencyShares).toBe(7);
  expect(priorityLevelFromStored(stored)).toMatchObject(old);
  expect(row(oldLevels, old)).toEqual(["x", "Limited", 7, "<none>", "<none>", "<none>", "<unknown>"]);
});
