import { leases } from "../../src/coordination/v1/lease.ts";
import { events as coreEvents } from "../../src/core/v1/event.ts";
import { events } from "../../src/events/v1/event.ts";
import { flowSchemas } from "../../src/flowcontrol/v1beta3/flow-schema.ts";
import { priorityLevelConfigurations } from "../../src/flowcontrol/v1beta3/priority-level-configuration.ts";
import { runtimeClasses } from "../../src/node/v1/runtime-class.ts";
import { priorityClasses } from "../../src/scheduling/v1/priority-class.ts";
import { notNegative } from "../workloads.ts";
import { rulesOf } from "./rule.ts";

const spec = (more: object): object => ({ spec: more });

const l = rulesOf("Lease", leases);
export const leaseRules = [
  l.rule(
    "spec.leaseDurationSeconds",
    l.no(spec({ leaseDurationSeconds: 0 }), "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"),
  ),
  l.rule("spec.leaseTransitions", l.no(spec({ leaseTransitions: -1 }), notNegative("spec.leaseTransitions"))),
  l.rule("metadata.name", l.named("dns-subdomain")),
];

const c = rulesOf("Event", coreEvents);
const e = rulesOf("Event", events);
const time = { eventTime: "2026-01-01T00:00:00.000000Z" };
const newer = { ...time, reportingComponent: "a.b/c", reportingInstance: "i", action: "a", reason: "r" };
const viewed = {
  ...time,
  reportingController: "a.b/c",
  reportingInstance: "i",
  action: "a",
  reason: "r",
  type: "Normal",
  regarding: { namespace: "default" },
};
const long = "x".repeat(129);
const tooLong = 'Invalid value: "": can have at most 128 characters';
export const eventRules = [
  c.rule(
    "v1 with eventTime unset: involvedObject.namespace",
    c.ok({ involvedObject: { namespace: "" } }),
    c.no(
      { involvedObject: { namespace: "other" } },
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ),
  ),
  c.rule(
    "eventTime set (both versions): regarding.namespace",
    c.ok({ ...newer, involvedObject: { namespace: "" } }),
    c.no(
      { ...newer, involvedObject: { namespace: "other" } },
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ),
  ),
  c.rule(
    "eventTime set: reportingController",
    c.no({ ...newer, reportingComponent: "" }, "reportingController: Required value"),
    c.no({ ...newer, reportingComponent: "-" }, /^reportingController: Invalid value: "-": name part must/),
  ),
  ...(["reportingInstance", "action", "reason"] as const).map((name) =>
    c.rule(
      `eventTime set: ${name}`,
      c.no({ ...newer, [name]: "" }, `${name}: Required value`),
      c.no({ ...newer, [name]: long }, `${name}: ${tooLong}`),
    ),
  ),
  c.rule(
    "eventTime set: note (v1 message)",
    c.no({ ...newer, message: "x".repeat(1025) }, 'message: Invalid value: "": can have at most 1024 characters'),
  ),
  c.rule(
    "metadata.namespace",
    c.no({ metadata: { namespace: "A" } }, /^namespace: Invalid value: "A": a lowercase RFC 1123 subdomain/),
  ),
  e.rule(
    "events v1 create: eventTime",
    e.ok(viewed),
    e.no({ ...viewed, eventTime: null }, "eventTime: Required value"),
  ),
  e.rule(
    "events v1 create: metadata.name",
    e.no({ ...viewed, metadata: { name: "A" } }, /^metadata\.name: Invalid value: "A": a lowercase RFC 1123 subdomain/),
  ),
  e.rule(
    "events v1 create: type",
    e.no({ ...viewed, type: "" }, "type: Required value"),
    e.no(
      { ...viewed, type: "Odd" },
      'type: Invalid value: "Odd": has invalid value: only Normal and Warning are supported',
    ),
  ),
  e.rule(
    "events v1 create: deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedCount, deprecatedSource",
    e.no({ ...viewed, deprecatedCount: 1 }, "deprecatedCount: Invalid value: 1: must be unset"),
    e.no(
      { ...viewed, deprecatedFirstTimestamp: "2026-01-01T00:00:00Z" },
      /^deprecatedFirstTimestamp: Invalid value: .*: must be unset$/,
    ),
    e.no(
      { ...viewed, deprecatedLastTimestamp: "2026-01-01T00:00:00Z" },
      /^deprecatedLastTimestamp: Invalid value: .*: must be unset$/,
    ),
    e.no({ ...viewed, deprecatedSource: { component: "c" } }, /^deprecatedSource: Invalid value: .*: must be unset$/),
  ),
  e.rule(
    "events v1 create: series",
    e.no(
      { ...viewed, series: { count: 1, lastObservedTime: time.eventTime } },
      "series.count: Invalid value: 1: should be at least 2",
    ),
    e.no({ ...viewed, series: { count: 2 } }, "series.lastObservedTime: Required value"),
  ),
  e.rule(
    "events v1 update",
    e.fixed(viewed, { reason: "other" }, 'reason: Invalid value: "other": field is immutable'),
    e.free(viewed, { series: { count: 2, lastObservedTime: time.eventTime } }),
  ),
  c.rule("core v1 update", c.free(newer, { reason: "other" })),
];

const p = rulesOf("PriorityClass", priorityClasses);
export const priorityClassRules = [
  p.rule(
    "value",
    p.no({ value: 1_000_000_001 }, "value: Forbidden: maximum allowed value of a user defined priority is 1000000000"),
    p.fixed({}, { value: 2 }, "Value: Forbidden: may not be changed in an update."),
  ),
  p.rule(
    "metadata.name",
    p.ok({ metadata: { name: "system-node-critical" }, value: 2_000_001_000 }),
    p.no(
      { metadata: { name: "system-a" } },
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-a is not a known system priority class",
    ),
  ),
  p.rule(
    "preemptionPolicy",
    p.fixed({}, { preemptionPolicy: "Never" }, 'preemptionPolicy: Invalid value: "Never": field is immutable'),
  ),
];

const r = rulesOf("RuntimeClass", runtimeClasses);
export const runtimeClassRules = [
  r.rule(
    "handler",
    r.no({ handler: "A" }, /^handler: Invalid value: "A": a lowercase RFC 1123 label/),
    r.fixed({}, { handler: "i" }, 'handler: Invalid value: "i": field is immutable'),
  ),
  r.rule(
    "overhead, scheduling",
    r.no(
      { overhead: { podFixed: { cpu: "-1" } } },
      'overhead.podFixed.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ),
    r.no({ scheduling: { nodeSelector: { "-": "a" } } }, /^scheduling\.nodeSelector: Invalid value: "-": /),
    r.no(
      { scheduling: { tolerations: [{ key: "a" }, { key: "a" }] } },
      /^scheduling\.tolerations\[1\]: Duplicate value: /,
    ),
  ),
];

const kind = "FlowSchema, PriorityLevelConfiguration";
const f = rulesOf(kind, flowSchemas);
const q = rulesOf(kind, priorityLevelConfigurations);
const flow = (more: object): object =>
  spec({
    rules: [
      {
        subjects: [{ kind: "User", user: { name: "u" } }],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }],
        ...more,
      },
    ],
  });
const limited = (more: object): object => spec({ limited: more });
const queuing = (more: object): object => limited({ limitResponse: { type: "Queue", queuing: more } });
export const flowRules = [
  f.rule(
    "FlowSchema.spec.matchingPrecedence",
    f.no(
      spec({ matchingPrecedence: 10001 }),
      "spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000",
    ),
    f.no(spec({ matchingPrecedence: -1 }), "spec.matchingPrecedence: Invalid value: -1: must be a positive value"),
    f.no(
      spec({ matchingPrecedence: 1 }),
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ),
  ),
  f.rule(
    "FlowSchema.spec.distinguisherMethod.type",
    f.no(
      spec({ distinguisherMethod: { type: "Odd" } }),
      'spec.distinguisherMethod.type: Unsupported value: "Odd": supported values: "ByNamespace", "ByUser"',
    ),
  ),
  f.rule(
    "FlowSchema.spec.rules[*]",
    f.no(flow({ subjects: [] }), "spec.rules[0].subjects: Required value: subjects must contain at least one value"),
    f.no(
      flow({ resourceRules: [] }),
      "spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty",
    ),
    f.no(
      flow({ resourceRules: [{ verbs: ["read"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }] }),
      /^spec\.rules\[0\]\.resourceRules\[0\]\.verbs: Unsupported value: .*: supported values: "create", "delete", /,
    ),
  ),
  q.rule(
    "PriorityLevelConfiguration.spec.type",
    q.no(
      spec({ type: "Exempt", limited: null }),
      "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'",
    ),
    q.no(spec({ type: "Odd" }), 'spec.type: Unsupported value: "Odd": supported values: "Exempt", "Limited"'),
  ),
  q.rule(
    "limited",
    q.no(
      limited({ nominalConcurrencyShares: -1 }),
      "spec.limited.nominalConcurrencyShares: Invalid value: -1: must be positive",
    ),
    q.no(
      limited({ lendablePercent: 101 }),
      "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
    ),
    q.no(
      limited({ limitResponse: { type: "Odd" } }),
      'spec.limited.limitResponse.type: Unsupported value: "Odd": supported values: "Queue", "Reject"',
    ),
    q.no(
      queuing({ queues: 64, handSize: 65 }),
      "spec.limited.limitResponse.queuing.handSize: Invalid value: 65: should not be greater than queues (64)",
    ),
    q.no(
      queuing({ queues: 10_000_001 }),
      "spec.limited.limitResponse.queuing.queues: Invalid value: 10000001: must not be greater than 10000000",
    ),
    q.no(
      queuing({ queues: 1024, handSize: 7 }),
      "spec.limited.limitResponse.queuing.handSize: Invalid value: 7: required entropy bits of deckSize 1024 and handSize 7 should not be greater than 60",
    ),
  ),
  f.rule(
    "mandatory objects exempt, catch-all",
    f.no(
      { metadata: { name: "catch-all" } },
      /^spec: Invalid value: .*: spec of 'catch-all' must equal the fixed value$/,
    ),
  ),
];
