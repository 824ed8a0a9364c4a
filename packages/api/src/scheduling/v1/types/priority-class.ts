import {
  bool,
  enumeration,
  type Infer,
  int32,
  ListMeta,
  list,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "scheduling/v1";

export const PriorityClass = object(pkg, "PriorityClass", () => ({
  metadata: value(1, ObjectMeta),
  value: required(2, int32),
  globalDefault: optional(3, bool),
  description: optional(4, string),
  preemptionPolicy: pointer(5, enumeration("PreemptLowerPriority", "Never")),
}));
export interface PriorityClass extends Infer<typeof PriorityClass> {}

export const PriorityClassList = object(pkg, "PriorityClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(PriorityClass)),
}));
export interface PriorityClassList extends Infer<typeof PriorityClassList> {}
