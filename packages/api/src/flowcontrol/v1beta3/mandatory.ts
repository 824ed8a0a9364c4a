import type { FlowSchemaSpec, PriorityLevelConfigurationSpec, Subject } from "./types.ts";

const group = (name: string): Subject => ({ kind: "Group", group: { name } });

const everything = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

/** Priority levels that every cluster has, and that cannot be changed: without them some requests would match no level (KEP-1040). */
export const mandatoryPriorityLevels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = Object.freeze({
  exempt: { type: "Exempt" },
  "catch-all": {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: "Reject" } },
  },
});

/** Flow schemas that every cluster has, and that cannot be changed (KEP-1040). */
export const mandatoryFlowSchemas: Readonly<Record<string, FlowSchemaSpec>> = Object.freeze({
  exempt: {
    priorityLevelConfiguration: { name: "exempt" },
    matchingPrecedence: 1,
    rules: [{ subjects: [group("system:masters")], ...everything }],
  },
  "catch-all": {
    priorityLevelConfiguration: { name: "catch-all" },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: "ByUser" },
    rules: [{ subjects: [group("system:unauthenticated"), group("system:authenticated")], ...everything }],
  },
});
