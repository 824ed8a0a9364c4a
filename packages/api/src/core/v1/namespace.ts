import { type Draft, defineResource, type FieldError, field, validateFinalizerName } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { share } from "../../shared/drafts.ts";
import { statusVerbs } from "../../shared/verbs.ts";
import { Namespace } from "./types/namespace.ts";

/** What keeps a namespace until its content is gone. */
const contentFinalizer = "orchernetes";
/** The label by which selectors find a namespace by name. */
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
    // Its content goes first: whoever sees to that takes the finalizers off.
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
      verbs: statusVerbs,
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
