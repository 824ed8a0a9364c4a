import {
  bool,
  type Infer,
  int32,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";

const pkg = "flowcontrol/v1beta2";

/** The v1beta2 form of the v1beta3 kind, which is stored. */
export const FlowSchema = object(pkg, "FlowSchema", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, FlowSchemaSpec),
  status: value(3, FlowSchemaStatus),
}));
export interface FlowSchema extends Infer<typeof FlowSchema> {}

export const FlowSchemaList = object(pkg, "FlowSchemaList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(FlowSchema)),
}));
export interface FlowSchemaList extends Infer<typeof FlowSchemaList> {}

/** Which requests, and where they go. */
export const FlowSchemaSpec = message(pkg, "FlowSchemaSpec", () => ({
  priorityLevelConfiguration: required(1, PriorityLevelConfigurationReference),
  matchingPrecedence: value(2, int32),
  distinguisherMethod: pointer(3, FlowDistinguisherMethod),
  rules: optional(4, list(PolicyRulesWithSubjects)),
}));
export interface FlowSchemaSpec extends Infer<typeof FlowSchemaSpec> {}

/** How requests are split into flows. */
export const FlowDistinguisherMethod = message(pkg, "FlowDistinguisherMethod", () => ({
  type: required(1, string),
}));
export interface FlowDistinguisherMethod extends Infer<typeof FlowDistinguisherMethod> {}

/** Names a priority level. */
export const PriorityLevelConfigurationReference = message(pkg, "PriorityLevelConfigurationReference", () => ({
  name: required(1, string),
}));
export interface PriorityLevelConfigurationReference extends Infer<typeof PriorityLevelConfigurationReference> {}

/** Matches a request when one of the subjects made it and one of the rules of either kind fits. */
export const PolicyRulesWithSubjects = message(pkg, "PolicyRulesWithSubjects", () => ({
  subjects: required(1, list(Subject)),
  resourceRules: optional(2, list(ResourcePolicyRule)),
  nonResourceRules: optional(3, list(NonResourcePolicyRule)),
}));
export interface PolicyRulesWithSubjects extends Infer<typeof PolicyRulesWithSubjects> {}

/** The sender of a request. Exactly the member that kind names is set. */
export const Subject = message(pkg, "Subject", () => ({
  kind: required(1, openEnumeration("User", "Group", "ServiceAccount")),
  user: pointer(2, UserSubject),
  group: pointer(3, GroupSubject),
  serviceAccount: pointer(4, ServiceAccountSubject),
}));
export interface Subject extends Infer<typeof Subject> {}

/** A user, by name. */
export const UserSubject = message(pkg, "UserSubject", () => ({
  name: required(1, string),
}));
export interface UserSubject extends Infer<typeof UserSubject> {}

/** The users in a group. */
export const GroupSubject = message(pkg, "GroupSubject", () => ({
  name: required(1, string),
}));
export interface GroupSubject extends Infer<typeof GroupSubject> {}

/** A service account. */
export const ServiceAccountSubject = message(pkg, "ServiceAccountSubject", () => ({
  namespace: required(1, string),
  name: required(2, string),
}));
export interface ServiceAccountSubject extends Infer<typeof ServiceAccountSubject> {}

/** Matches requests for resources: verb, group, resource and place must all fit. */
export const ResourcePolicyRule = message(pkg, "ResourcePolicyRule", () => ({
  verbs: required(1, list(string), { list: "set" }),
  apiGroups: required(2, list(string), { list: "set" }),
  resources: required(3, list(string), { list: "set" }),
  clusterScope: optional(4, bool),
  namespaces: pointer(5, list(string), { list: "set" }),
}));
export interface ResourcePolicyRule extends Infer<typeof ResourcePolicyRule> {}

/** Matches requests for paths that belong to no resource: verb and path must both fit. */
export const NonResourcePolicyRule = message(pkg, "NonResourcePolicyRule", () => ({
  verbs: required(1, list(string), { list: "set" }),
  nonResourceURLs: required(6, list(string), { list: "set" }),
}));
export interface NonResourcePolicyRule extends Infer<typeof NonResourcePolicyRule> {}

/** State of a flow schema. */
export const FlowSchemaStatus = message(pkg, "FlowSchemaStatus", () => ({
  conditions: optional(1, list(FlowSchemaCondition), { list: "map", keys: ["type"] }),
}));
export interface FlowSchemaStatus extends Infer<typeof FlowSchemaStatus> {}

/** A condition of a flow schema. */
export const FlowSchemaCondition = message(pkg, "FlowSchemaCondition", () => ({
  type: optional(1, string),
  status: optional(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface FlowSchemaCondition extends Infer<typeof FlowSchemaCondition> {}

/**
 * The v1beta2 form of the v1beta3 kind, which is stored: `nominalConcurrencyShares` is called `assuredConcurrencyShares` here.
 */
export const PriorityLevelConfiguration = object(pkg, "PriorityLevelConfiguration", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, PriorityLevelConfigurationSpec),
  status: value(3, PriorityLevelConfigurationStatus),
}));
export interface PriorityLevelConfiguration extends Infer<typeof PriorityLevelConfiguration> {}

export const PriorityLevelConfigurationList = object(pkg, "PriorityLevelConfigurationList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(PriorityLevelConfiguration)),
}));
export interface PriorityLevelConfigurationList extends Infer<typeof PriorityLevelConfigurationList> {}

/** How the requests of a level are treated. */
export const PriorityLevelConfigurationSpec = message(pkg, "PriorityLevelConfigurationSpec", () => ({
  type: required(1, openEnumeration("Exempt", "Limited")),
  limited: pointer(2, LimitedPriorityLevelConfiguration),
}));
export interface PriorityLevelConfigurationSpec extends Infer<typeof PriorityLevelConfigurationSpec> {}

/** The share of a level in the server's capacity, and how levels lend to each other. */
export const LimitedPriorityLevelConfiguration = message(pkg, "LimitedPriorityLevelConfiguration", () => ({
  assuredConcurrencyShares: value(1, int32),
  limitResponse: value(2, LimitResponse),
  lendablePercent: pointer(3, int32),
  borrowingLimitPercent: pointer(4, int32),
}));
export interface LimitedPriorityLevelConfiguration extends Infer<typeof LimitedPriorityLevelConfiguration> {}

/** What happens to requests for which there is no seat. */
export const LimitResponse = message(pkg, "LimitResponse", () => ({
  type: required(1, openEnumeration("Queue", "Reject")),
  queuing: pointer(2, QueuingConfiguration),
}));
export interface LimitResponse extends Infer<typeof LimitResponse> {}

/** The queues of a level. */
export const QueuingConfiguration = message(pkg, "QueuingConfiguration", () => ({
  queues: value(1, int32),
  handSize: value(2, int32),
  queueLengthLimit: value(3, int32),
}));
export interface QueuingConfiguration extends Infer<typeof QueuingConfiguration> {}

/** State of a priority level. */
export const PriorityLevelConfigurationStatus = message(pkg, "PriorityLevelConfigurationStatus", () => ({
  conditions: optional(1, list(PriorityLevelConfigurationCondition), { list: "map", keys: ["type"] }),
}));
export interface PriorityLevelConfigurationStatus extends Infer<typeof PriorityLevelConfigurationStatus> {}

/** A condition of a priority level. */
export const PriorityLevelConfigurationCondition = message(pkg, "PriorityLevelConfigurationCondition", () => ({
  type: optional(1, string),
  status: optional(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface PriorityLevelConfigurationCondition extends Infer<typeof PriorityLevelConfigurationCondition> {}
