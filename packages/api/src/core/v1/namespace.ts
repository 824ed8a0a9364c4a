import {
  type Draft,
  defineResource,
  enumeration,
  type FieldError,
  field,
  type Infer,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  required,
  string,
  time,
  validateFinalizerName,
  value,
} from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { subresourceVerbs } from "../../shared/definitions.ts";
import { share } from "../../shared/drafts.ts";

const pkg = "core/v1";

/** Desired behaviour of a namespace. */
export const NamespaceSpec = message(pkg, "NamespaceSpec", () => ({
  finalizers: optional(1, list(string)),
}));
export interface NamespaceSpec extends Infer<typeof NamespaceSpec> {}

/** Phase of a namespace's life cycle, and what delays its removal. */
export const NamespaceStatus = message(pkg, "NamespaceStatus", () => ({
  phase: optional(1, enumeration("Active", "Terminating")),
  conditions: optional(2, list(NamespaceCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface NamespaceStatus extends Infer<typeof NamespaceStatus> {}

/** A condition of a namespace that is being deleted. */
export const NamespaceCondition = message(pkg, "NamespaceCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(4, time),
  reason: optional(5, string),
  message: optional(6, string),
}));
export interface NamespaceCondition extends Infer<typeof NamespaceCondition> {}

/**
 * A scope of names, permissions, quotas and policies. Deleting it deletes everything in it; the finalizer `orchernetes` in
 * `spec` keeps it until then.
 */
export const Namespace = object(pkg, "Namespace", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, NamespaceSpec),
  status: value(3, NamespaceStatus),
}));
export interface Namespace extends Infer<typeof Namespace> {}

export const NamespaceList = object(pkg, "NamespaceList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Namespace)),
}));
export interface NamespaceList extends Infer<typeof NamespaceList> {}

/**
 * The finalizer in `spec` that keeps a namespace until its content is deleted. It is older than those in metadata, and
 * cleared through the subresource `finalize`.
 */
const contentFinalizer = "orchernetes";
/** The label by which selectors match a namespace by name (KEP-2161). */
const nameLabel = "orchernetes.io/metadata.name";

function applyDefaults(namespace: Draft<Namespace>): void {
  namespace.status ??= {};
  namespace.status.phase ||= "Active";
  // A namespace made from generateName has no name yet; it gets the label when it has one.
  if (namespace.metadata.name) {
    namespace.metadata.labels ??= {};
    namespace.metadata.labels[nameLabel] = namespace.metadata.name;
  }
}

/**
 * Sets the finalizer: without it the namespace would be removed before its content, and objects would remain in a
 * namespace that is gone.
 */
function prepareForCreate(namespace: Draft<Namespace>): void {
  namespace.status = { phase: "Active" };
  const finalizers = namespace.spec?.finalizers ?? [];
  namespace.spec = {
    ...namespace.spec,
    finalizers: finalizers.includes(contentFinalizer) ? finalizers : [...finalizers, contentFinalizer],
  };
  applyDefaults(namespace);
}

function validate(namespace: Namespace): FieldError[] {
  return (namespace.spec.finalizers ?? []).flatMap((finalizer) => [
    ...validateFinalizerName(finalizer, "spec.finalizers"),
  ]);
}

/** A namespace is Terminating if and only if deletionTimestamp is set. */
function validateStatusUpdate({ metadata, status }: Namespace): FieldError[] {
  const expected = metadata.deletionTimestamp ? "Terminating" : "Active";
  if (status.phase === expected) {
    return [];
  }
  const when = expected === "Active" ? "is empty" : "is not empty";
  const detail = `may only be '${expected}' if \`deletionTimestamp\` ${when}`;
  return [field.invalid("status.Phase", status.phase ?? "", detail)];
}

/** `v1` namespaces. */
export const namespaces = defineResource<Namespace>({
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  singular: "namespace",
  shortNames: ["ns"],
  scope: "Cluster",
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  schema: Namespace,
  storagePrefix: "/registry/namespaces",
  applyDefaults,
  strategy: {
    nameFormat: "dns-label",
    prepareForCreate,
    validate,
    prepareForUpdate: (namespace, old) => {
      namespace.spec = share({ ...namespace.spec, finalizers: old.spec.finalizers });
      namespace.status = share(old.status);
    },
    // The namespace controller deletes the content first, and then removes the finalizers.
    holdsDeletion: ({ spec }) => (spec.finalizers ?? []).length > 0,
    prepareForDelete: (namespace) => {
      namespace.status = { ...namespace.status, phase: "Terminating" };
    },
  },
  columns: [
    name(),
    column("Status", "string", "Active, or Terminating while its content goes.", ({ status }) => status.phase ?? ""),
    age(),
  ],
  fieldSelectors: ["status.phase", "name"],
  selectableFields: ({ metadata, status }) => ({ "status.phase": status.phase ?? "", name: metadata.name ?? "" }),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (namespace, old) => {
          namespace.spec = share(old.spec);
        },
        validateUpdate: validateStatusUpdate,
      },
    },
    finalize: {
      type: "object",
      verbs: ["update"],
      strategy: {
        prepareForUpdate: (namespace, old) => {
          namespace.status = share(old.status);
        },
        validateUpdate: validate,
      },
    },
  },
});
