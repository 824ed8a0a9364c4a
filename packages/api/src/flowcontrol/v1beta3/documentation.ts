import type { TypeDocumentation } from "@orchernetes/apimachinery";

const conditionTexts = {
  status: "True, False, or Unknown if it cannot be determined.",
  lastTransitionTime: "When status last changed.",
  reason: "A machine-readable reason in CamelCase.",
  message: "A human-readable description of what happened.",
};

/** Texts of the types of flowcontrol.apiserver.o8s.io/v1beta3. */
export const documentation: TypeDocumentation = {
  FlowSchema: {
    "": "Sorts requests: those that match its rules go to a priority level, split into flows that are treated fairly against each other.",
    spec: "Which requests, and where they go.",
    status: "Whether the priority level exists. Written by orch-apiserver.",
  },
  FlowSchemaSpec: {
    "": "Which requests, and where they go.",
    priorityLevelConfiguration:
      "The priority level that the requests go to. While it does not exist, the schema is ignored.",
    matchingPrecedence:
      "Order among schemas that match a request: the lowest number wins, then the name. From 1 to 10000. Default: 1000.",
    distinguisherMethod: "How the requests are split into flows. Default: they are one flow.",
    rules: "Which requests match; one rule is enough. Without rules, none do.",
  },
  FlowDistinguisherMethod: {
    "": "How requests are split into flows.",
    type: "ByUser: one flow for each user. ByNamespace: one for each namespace, and one for requests without a namespace.",
  },
  PriorityLevelConfigurationReference: {
    "": "Names a priority level.",
    name: "Name of the PriorityLevelConfiguration.",
  },
  PolicyRulesWithSubjects: {
    "": "Matches a request when one of the subjects made it and one of the rules of either kind fits.",
    subjects: "Who makes the requests. At least one.",
    resourceRules: "Requests for resources. At least one of this and nonResourceRules is not empty.",
    nonResourceRules: "Requests for paths that belong to no resource.",
  },
  Subject: {
    "": "Somebody who makes requests. Exactly the member that kind names is set.",
    kind: "User, Group or ServiceAccount.",
    user: "The user, for kind User.",
    group: "The group, for kind Group.",
    serviceAccount: "The service account, for kind ServiceAccount.",
  },
  UserSubject: {
    "": "A user, by name.",
    name: "Name of the user; * means everybody.",
  },
  GroupSubject: {
    "": "The users in a group.",
    name: "Name of the group; * means every group. system:authenticated and system:unauthenticated are common.",
  },
  ServiceAccountSubject: {
    "": "A service account.",
    namespace: "Namespace of the service account.",
    name: "Name of the service account; * means all of the namespace.",
  },
  ResourcePolicyRule: {
    "": "Matches requests for resources: verb, group, resource and place must all fit.",
    verbs: "Verbs in lower case; * alone means all.",
    apiGroups: 'Groups of the resources; "" is the core group, * alone means all.',
    resources: "Plural names of resources; subresources as services/proxy, * alone means all.",
    clusterScope: "Whether requests without a namespace fit. Default: false.",
    namespaces: "Namespaces of which requests fit; * alone means all. May only be empty when clusterScope is true.",
  },
  NonResourcePolicyRule: {
    "": "Matches requests for paths that belong to no resource: verb and path must both fit.",
    verbs: "Methods in lower case; * alone means all.",
    nonResourceURLs: "Paths such as /healthz; /healthz/* stands for everything below, * alone for all.",
  },
  FlowSchemaStatus: {
    "": "State of a flow schema.",
    conditions: "Summaries of the state. Dangling: whether the priority level is missing.",
  },
  FlowSchemaCondition: {
    "": "One aspect of a flow schema's state.",
    type: "Which aspect: Dangling.",
    ...conditionTexts,
  },
  PriorityLevelConfiguration: {
    "": "A share of the server's capacity, with queues for what exceeds it, so that one kind of request can't starve the others.",
    spec: "The share of capacity, and what happens to further requests.",
    status: "State of the level. Written by orch-apiserver.",
  },
  PriorityLevelConfigurationSpec: {
    "": "How the requests of a level are treated.",
    type: "Limited: within a share of the capacity. Exempt: immediately and without limit, though they count; only the level named exempt is.",
    limited: "The share. Required for type Limited, otherwise not allowed.",
  },
  LimitedPriorityLevelConfiguration: {
    "": "The share of a level in the server's capacity, and how levels lend to each other.",
    nominalConcurrencyShares:
      "Share of the level: its seats are all seats of the server times this number, divided by the sum over all limited levels, rounded up. Positive. Default: 30.",
    limitResponse: "What happens to requests for which there is no seat.",
    lendablePercent:
      "Percentage of the level's seats that others may borrow while they are not needed here. 0 to 100. Default: 0.",
    borrowingLimitPercent:
      "Percentage of the level's seats that it may borrow on top from others, which may exceed 100. Default: no limit.",
  },
  LimitResponse: {
    "": "What happens to requests for which there is no seat.",
    type: "Queue: they wait, until the queues are full. Reject: they get 429 immediately.",
    queuing: "The queues. Only allowed for type Queue.",
  },
  QueuingConfiguration: {
    "": "The queues of a level.",
    queues:
      "Number of queues. More of them make it rarer that flows share one; 1 turns fairness among flows off. At most 10000000. Default: 64.",
    handSize:
      "How many queues a flow may use: each request goes to the shortest of them. Smaller hands keep a busy flow from filling all queues. Not above queues. Default: 8.",
    queueLengthLimit: "How many requests may wait in one queue; those beyond get 429. Default: 50.",
  },
  PriorityLevelConfigurationStatus: {
    "": "State of a priority level.",
    conditions: "Summaries of the state, one of each type.",
  },
  PriorityLevelConfigurationCondition: {
    "": "One aspect of a priority level's state.",
    type: "Which aspect, in CamelCase.",
    ...conditionTexts,
  },
};
