import {
  type Infer,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  quantity,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { Toleration } from "../../../core/v1/types/affinity.ts";

const pkg = "node/v1";

export const RuntimeClass = object(pkg, "RuntimeClass", () => ({
  metadata: value(1, ObjectMeta),
  handler: required(2, string),
  overhead: pointer(3, Overhead),
  scheduling: pointer(4, Scheduling),
}));
export interface RuntimeClass extends Infer<typeof RuntimeClass> {}

export const Overhead = message(pkg, "Overhead", () => ({
  podFixed: optional(1, mapOf(quantity)),
}));
export interface Overhead extends Infer<typeof Overhead> {}

export const Scheduling = message(pkg, "Scheduling", () => ({
  nodeSelector: optional(1, mapOf(string), { atomic: true }),
  tolerations: optional(2, list(Toleration)),
}));
export interface Scheduling extends Infer<typeof Scheduling> {}

export const RuntimeClassList = object(pkg, "RuntimeClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(RuntimeClass)),
}));
export interface RuntimeClassList extends Infer<typeof RuntimeClassList> {}
