import {
  controllerOf,
  defineResource,
  type FieldError,
  field,
  type Infer,
  int64,
  ListMeta,
  list,
  ObjectMeta,
  object,
  optional,
  parseApiVersion,
  raw,
  required,
  value,
} from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable } from "../../shared/immutable.ts";
import { nonNegative } from "../../shared/numbers.ts";

const pkg = "apps/v1";

/** A previous state of an object, to which its controller can roll back. `data` is immutable. */
export const ControllerRevision = object(pkg, "ControllerRevision", () => ({
  metadata: value(1, ObjectMeta),
  data: optional(2, raw),
  revision: required(3, int64),
}));
export interface ControllerRevision extends Infer<typeof ControllerRevision> {}

export const ControllerRevisionList = object(pkg, "ControllerRevisionList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ControllerRevision)),
}));
export interface ControllerRevisionList extends Infer<typeof ControllerRevisionList> {}

/** Revisions are ordered by number, and their data is what a rollback restores. */
function validateControllerRevision(revision: ControllerRevision): FieldError[] {
  return [
    ...(revision.data === undefined || revision.data === null ? [field.required("data", "data is mandatory")] : []),
    ...nonNegative(revision.revision, "revision"),
  ];
}

/** `kind.group/name` of the controlling owner. */
function controllerName(revision: ControllerRevision): string {
  const owner = controllerOf(revision);
  if (owner === undefined) {
    return "<none>";
  }
  const group = parseApiVersion(owner.apiVersion)?.group ?? "";
  const kind = owner.kind.toLowerCase();
  return `${group === "" ? kind : `${kind}.${group}`}/${owner.name}`;
}

/** An immutable snapshot of a workload's template, kept for updates and rollbacks. */
export const controllerRevisions = defineResource<ControllerRevision>({
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  singular: "controllerrevision",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: ControllerRevision,
  storagePrefix: "/registry/controllerrevisions",
  strategy: {
    validate: validateControllerRevision,
    validateUpdate: (revision, old) => [
      ...nonNegative(revision.revision, "revision"),
      ...immutable(revision.data, old.data, "data"),
    ],
  },
  columns: [
    name(),
    column("Controller", "string", "The workload that this is a revision of.", controllerName),
    column("Revision", "string", "Number of the revision.", ({ revision }) => revision),
    age(),
  ],
});
