import { type Infer, message, object, optional, pointer, required, string, value } from "@orchernetes/apimachinery";

const pkg = "core/v1";

/** Refers to an object, or to a part of one. Which fields are needed depends on where it is used. */
export const ObjectReference = message(
  pkg,
  "ObjectReference",
  () => ({
    kind: optional(1, string),
    namespace: optional(2, string),
    name: optional(3, string),
    uid: optional(4, string),
    apiVersion: optional(5, string),
    resourceVersion: optional(6, string),
    fieldPath: optional(7, string),
  }),
  { atomic: true },
);
export interface ObjectReference extends Infer<typeof ObjectReference> {}

/** Names an object in the same namespace. The field that contains it determines the kind. */
export const LocalObjectReference = message(
  pkg,
  "LocalObjectReference",
  () => ({
    name: optional(1, string),
  }),
  { atomic: true },
);
export interface LocalObjectReference extends Infer<typeof LocalObjectReference> {}

/** Names an object of any kind in the same namespace. */
export const TypedLocalObjectReference = message(
  pkg,
  "TypedLocalObjectReference",
  () => ({
    apiGroup: pointer(1, string),
    kind: required(2, string),
    name: required(3, string),
  }),
  { atomic: true },
);
export interface TypedLocalObjectReference extends Infer<typeof TypedLocalObjectReference> {}

/** A reference to an object, wrapped so that it can stand alone in a file or annotation. */
export const SerializedReference = object(pkg, "SerializedReference", () => ({
  reference: value(1, ObjectReference),
}));
export interface SerializedReference extends Infer<typeof SerializedReference> {}

/** Conditions of a deletion. The type of the same name in meta/v1 has replaced it. */
export const Preconditions = message(pkg, "Preconditions", () => ({
  uid: pointer(1, string),
}));
export interface Preconditions extends Infer<typeof Preconditions> {}

/** Names a secret in any namespace. */
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
