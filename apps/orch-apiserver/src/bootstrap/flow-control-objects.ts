import { flowcontrolV1beta3 } from "@orchernetes/api";
import type { PostStartHook } from "../post-start/hooks.ts";
import { ensureConfigurations } from "./ensure-configurations.ts";

type Level = readonly [name: string, shares: number, lendable: number, queues: number, handSize: number];

const LEVELS: readonly Level[] = [
  ["system", 30, 33, 64, 6],
  ["node-high", 40, 25, 64, 6],
  ["leader-election", 10, 0, 16, 4],
  ["workload-high", 40, 50, 128, 6],
  ["workload-low", 100, 90, 128, 6],
  ["global-default", 20, 50, 128, 6],
];

const group = (name: string) => ({ kind: "Group", group: { name } }) as const;
const user = (name: string) => ({ kind: "User", user: { name } }) as const;
const account = (name: string) =>
  ({ kind: "ServiceAccount", serviceAccount: { namespace: "orch-system", name } }) as const;
const of = (verbs: string[], apiGroup: string, resources: string[], clusterScope?: true) => ({
  verbs,
  apiGroups: [apiGroup],
  resources,
  namespaces: ["*"],
  ...(clusterScope ? { clusterScope } : {}),
});

const WRITE = ["get", "create", "update"];
const LEASES = "coordination.o8s.io";
const ALL = {
  resourceRules: [of(["*"], "*", ["*"], true)],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const EVERYONE = [group("system:unauthenticated"), group("system:authenticated")];
const MANAGER = user("system:orch-controller-manager");

type Rule = NonNullable<flowcontrolV1beta3.FlowSchemaSpec["rules"]>[number];
type Schema = readonly [name: string, level: string, precedence: number, by: string, rule: Rule];

const SCHEMAS: readonly Schema[] = [
  [
    "probes",
    "exempt",
    2,
    "",
    { subjects: EVERYONE, nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] },
  ],
  [
    "system-leader-election",
    "leader-election",
    100,
    "ByUser",
    {
      subjects: [MANAGER, user("system:orch-scheduler"), account("*")],
      resourceRules: [of(WRITE, LEASES, ["leases"])],
    },
  ],
  [
    "endpoint-controller",
    "workload-high",
    150,
    "ByUser",
    {
      subjects: [MANAGER, account("endpoint-controller"), account("endpointslicemirroring-controller")],
      resourceRules: [of(WRITE, "", ["endpoints"])],
    },
  ],
  [
    "workload-leader-election",
    "leader-election",
    200,
    "ByUser",
    {
      subjects: [account("*")],
      resourceRules: [of(WRITE, "", ["endpoints", "configmaps"]), of(WRITE, LEASES, ["leases"])],
    },
  ],
  [
    "system-node-high",
    "node-high",
    400,
    "ByUser",
    {
      subjects: [group("system:nodes")],
      resourceRules: [of(["*"], "", ["nodes", "nodes/status"], true), of(["*"], LEASES, ["leases"])],
    },
  ],
  ["system-nodes", "system", 500, "ByUser", { subjects: [group("system:nodes")], ...ALL }],
  ["orch-controller-manager", "workload-high", 800, "ByNamespace", { subjects: [MANAGER], ...ALL }],
  ["orch-scheduler", "workload-high", 800, "ByNamespace", { subjects: [user("system:orch-scheduler")], ...ALL }],
  ["orch-system-service-accounts", "workload-high", 900, "ByNamespace", { subjects: [account("*")], ...ALL }],
  ["service-accounts", "workload-low", 9000, "ByUser", { subjects: [group("system:serviceaccounts")], ...ALL }],
  ["global-default", "global-default", 9900, "ByUser", { subjects: EVERYONE, ...ALL }],
];

type Levels = Readonly<Record<string, flowcontrolV1beta3.PriorityLevelConfigurationSpec>>;
type Schemas = Readonly<Record<string, flowcontrolV1beta3.FlowSchemaSpec>>;

/** Priority levels that a cluster starts with, by name; its administrators may change them. */
const suggestedPriorityLevels: Levels = Object.fromEntries(
  LEVELS.map(([name, nominalConcurrencyShares, lendablePercent, queues, handSize]) => [
    name,
    {
      type: "Limited",
      limited: {
        nominalConcurrencyShares,
        lendablePercent,
        limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: 50 } },
      },
    },
  ]),
);

/** Flow schemas that a cluster starts with, by name; its administrators may change them. */
export const suggestedFlowSchemas: Schemas = Object.fromEntries(
  SCHEMAS.map(([name, level, matchingPrecedence, by, rule]) => [
    name,
    {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(by === "" ? {} : { distinguisherMethod: { type: by } }),
      rules: [rule],
    },
  ]),
);

const { priorityLevelConfigurations, flowSchemas, mandatoryPriorityLevels, mandatoryFlowSchemas } = flowcontrolV1beta3;

/** Keeps the mandatory and the suggested objects of priority and fairness ({@link ensureConfigurations}). */
export const flowControlObjects: PostStartHook = {
  name: "priority-and-fairness-config-producer",
  async run({ registry }) {
    await ensureConfigurations(registry, priorityLevelConfigurations, {
      mandatory: mandatoryPriorityLevels,
      suggested: suggestedPriorityLevels,
    });
    await ensureConfigurations(registry, flowSchemas, {
      mandatory: mandatoryFlowSchemas,
      suggested: suggestedFlowSchemas,
    });
  },
};
