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

const pkg = "networking/v1";

export const IngressClass = object(pkg, "IngressClass", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, IngressClassSpec),
}));
export interface IngressClass extends Infer<typeof IngressClass> {}

export const IngressClassSpec = message(pkg, "IngressClassSpec", () => ({
  controller: optional(1, string),
  parameters: pointer(2, IngressClassParametersReference),
}));
export interface IngressClassSpec extends Infer<typeof IngressClassSpec> {}

export const IngressClassParametersReference = message(pkg, "IngressClassParametersReference", () => ({
  apiGroup: pointer(1, string),
  kind: required(2, string),
  name: required(3, string),
  scope: pointer(4, string),
  namespace: pointer(5, string),
}));
export interface IngressClassParametersReference extends Infer<typeof IngressClassParametersReference> {}

export const IngressClassList = object(pkg, "IngressClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(IngressClass)),
}));
export interface IngressClassList extends Infer<typeof IngressClassList> {}
