import {
  type Infer,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { NodeSelector } from "../../../core/v1/types/affinity.ts";

const pkg = "resource/v1alpha2";

export const ResourceClass = object(pkg, "ResourceClass", () => ({
  metadata: value(1, ObjectMeta),
  driverName: required(2, string),
  parametersRef: pointer(3, ResourceClassParametersReference),
  suitableNodes: pointer(4, NodeSelector),
}));
export interface ResourceClass extends Infer<typeof ResourceClass> {}

export const ResourceClassParametersReference = message(pkg, "ResourceClassParametersReference", () => ({
  apiGroup: optional(1, string),
  kind: required(2, string),
  name: required(3, string),
  namespace: optional(4, string),
}));
export interface ResourceClassParametersReference extends Infer<typeof ResourceClassParametersReference> {}

export const ResourceClassList = object(pkg, "ResourceClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ResourceClass)),
}));
export interface ResourceClassList extends Infer<typeof ResourceClassList> {}
