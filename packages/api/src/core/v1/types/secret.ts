import {
  bool,
  bytes,
  type Infer,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

export const SecretReference = message(
  pkg,
  "SecretReference",
  () => ({
    name: optional(1, string),
    namespace: optional(2, string),
  }),
  { atomic: true },
);
export interface SecretReference extends Infer<typeof SecretReference> {}

export const Secret = object(pkg, "Secret", () => ({
  metadata: value(1, ObjectMeta),
  immutable: pointer(5, bool),
  data: optional(2, mapOf(bytes)),
  stringData: optional(4, mapOf(string)),
  type: optional(3, string),
}));
export interface Secret extends Infer<typeof Secret> {}

export const SecretList = object(pkg, "SecretList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Secret)),
}));
export interface SecretList extends Infer<typeof SecretList> {}
