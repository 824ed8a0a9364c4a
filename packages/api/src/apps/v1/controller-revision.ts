import { controllerOf, defineResource, type FieldError, field, parseApiVersion } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { age, column, immutable, name, nonNegative } from "../../shared/index.ts";
import { ControllerRevision } from "./types/controller-revision.ts";

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
