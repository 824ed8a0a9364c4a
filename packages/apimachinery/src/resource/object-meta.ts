import {
  bool,
  type Infer,
  int64,
  list,
  mapOf,
  message,
  object,
  optional,
  pointer,
  raw,
  required,
  string,
  time,
} from "../schema/index.ts";

const pkg = "meta/v1";

/**
 * A reference to an owner in the same namespace, or of cluster scope. The garbage collector deletes an object when
 * all of its owners are gone. At most one reference has `controller: true`. Atomic: one manager owns all of its
 * fields.
 */
export const OwnerReference = message(
  pkg,
  "OwnerReference",
  () => ({
    apiVersion: required(5, string),
    kind: required(1, string),
    name: required(3, string),
    uid: required(4, string),
    controller: pointer(6, bool),
    blockOwnerDeletion: pointer(7, bool),
  }),
  { atomic: true },
);
export interface OwnerReference extends Infer<typeof OwnerReference> {}

/**
 * The fields that one manager owns, by one operation, in one version of the kind (server-side apply, KEP-555).
 * `fieldsV1` is a set of paths.
 */
export const ManagedFieldsEntry = message(pkg, "ManagedFieldsEntry", () => ({
  manager: optional(1, string),
  operation: optional(2, string),
  apiVersion: optional(3, string),
  time: pointer(4, time),
  fieldsType: optional(6, string),
  fieldsV1: pointer(7, raw),
  subresource: optional(8, string),
}));
export interface ManagedFieldsEntry extends Infer<typeof ManagedFieldsEntry> {}

/** Standard metadata of every object. */
export const ObjectMeta = message(pkg, "ObjectMeta", () => ({
  name: optional(1, string),
  generateName: optional(2, string),
  namespace: optional(3, string),
  selfLink: optional(4, string, { deprecated: true }),
  uid: optional(5, string),
  resourceVersion: optional(6, string),
  generation: optional(7, int64),
  creationTimestamp: optional(8, time),
  deletionTimestamp: pointer(9, time),
  deletionGracePeriodSeconds: pointer(10, int64),
  labels: optional(11, mapOf(string)),
  annotations: optional(12, mapOf(string)),
  ownerReferences: optional(13, list(OwnerReference), { patch: "merge", mergeKey: "uid", list: "map", keys: ["uid"] }),
  finalizers: optional(14, list(string), { patch: "merge", list: "set" }),
  managedFields: optional(17, list(ManagedFieldsEntry), { list: "atomic" }),
}));
export interface ObjectMeta extends Infer<typeof ObjectMeta> {}

/** Metadata of lists. */
export const ListMeta = message(pkg, "ListMeta", () => ({
  selfLink: optional(1, string, { deprecated: true }),
  resourceVersion: optional(2, string),
  continue: optional(3, string),
  remainingItemCount: pointer(4, int64),
}));
export interface ListMeta extends Infer<typeof ListMeta> {}

/** Conditions for a deletion. If the object has another uid or resourceVersion, it fails with a conflict. */
export const Preconditions = message(pkg, "Preconditions", () => ({
  uid: pointer(1, string),
  resourceVersion: pointer(2, string),
}));
export interface Preconditions extends Infer<typeof Preconditions> {}

/** Body of DELETE. */
export const DeleteOptions = object(pkg, "DeleteOptions", () => ({
  gracePeriodSeconds: pointer(1, int64),
  preconditions: pointer(2, Preconditions),
  orphanDependents: pointer(3, bool, { deprecated: true }),
  propagationPolicy: pointer(4, string),
  dryRun: optional(5, list(string), { list: "atomic" }),
}));
export interface DeleteOptions extends Infer<typeof DeleteOptions> {}
