import {
  enumeration,
  type Infer,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  quantity,
  required,
  value,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

export const LimitRangeItem = message(pkg, "LimitRangeItem", () => ({
  type: required(1, enumeration("Pod", "Container", "PersistentVolumeClaim")),
  max: optional(2, mapOf(quantity)),
  min: optional(3, mapOf(quantity)),
  default: optional(4, mapOf(quantity)),
  defaultRequest: optional(5, mapOf(quantity)),
  maxLimitRequestRatio: optional(6, mapOf(quantity)),
}));
export interface LimitRangeItem extends Infer<typeof LimitRangeItem> {}

export const LimitRangeSpec = message(pkg, "LimitRangeSpec", () => ({
  limits: required(1, list(LimitRangeItem)),
}));
export interface LimitRangeSpec extends Infer<typeof LimitRangeSpec> {}

export const LimitRange = object(pkg, "LimitRange", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, LimitRangeSpec),
}));
export interface LimitRange extends Infer<typeof LimitRange> {}

export const LimitRangeList = object(pkg, "LimitRangeList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(LimitRange)),
}));
export interface LimitRangeList extends Infer<typeof LimitRangeList> {}
