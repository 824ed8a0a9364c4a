import {
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

export const PriorityLevelConfigurationSpec = message(pkg, "PriorityLevelConfigurationSpec", () => ({
  type: required(1, openEnumeration("Exempt", "Limited")),
  limited: pointer(2, LimitedPriorityLevelConfiguration),
}));
export interface PriorityLevelConfigurationSpec extends Infer<typeof PriorityLevelConfigurationSpec> {}

export const LimitedPriorityLevelConfiguration = message(pkg, "LimitedPriorityLevelConfiguration", () => ({
  assuredConcurrencyShares: value(1, int32),
  limitResponse: value(2, LimitResponse),
  lendablePercent: pointer(3, int32),
  borrowingLimitPercent: pointer(4, int32),
}));
export interface LimitedPriorityLevelConfiguration extends Infer<typeof LimitedPriorityLevelConfiguration> {}

export const LimitResponse = message(pkg, "LimitResponse", () => ({
  type: required(1, openEnumeration("Queue", "Reject")),
  queuing: pointer(2, QueuingConfiguration),
}));
export interface LimitResponse extends Infer<typeof LimitResponse> {}

export const QueuingConfiguration = message(pkg, "QueuingConfiguration", () => ({
  queues: value(1, int32),
  handSize: value(2, int32),
  queueLengthLimit: value(3, int32),
}));
export interface QueuingConfiguration extends Infer<typeof QueuingConfiguration> {}

export const PriorityLevelConfigurationStatus = message(pkg, "PriorityLevelConfigurationStatus", () => ({
  conditions: optional(1, list(PriorityLevelConfigurationCondition), { list: "map", keys: ["type"] }),
}));
export interface PriorityLevelConfigurationStatus extends Infer<typeof PriorityLevelConfigurationStatus> {}

export const PriorityLevelConfigurationCondition = message(pkg, "PriorityLevelConfigurationCondition", () => ({
  type: optional(1, string),
  status: optional(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface PriorityLevelConfigurationCondition extends Infer<typeof PriorityLevelConfigurationCondition> {}
