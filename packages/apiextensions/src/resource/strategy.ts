import type { apiextensions } from "@orchernetes/api";
import type { ApiObject, Draft, Strategy, UpdateStrategy } from "@orchernetes/apimachinery";
import { setCondition } from "../definition/conditions.ts";
import { applyDefinitionDefaults } from "../definition/defaults.ts";
import { dropRules } from "../schema/drop-rules.ts";
import { validateDefinition, validateDefinitionUpdate, validateStatusUpdate } from "../validation/definition.ts";
import { longDefinitionErrors } from "../validation/long-validation.ts";

type Definition = apiextensions.CustomResourceDefinition;

/** Keeps a definition until its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.o8s.io";

const share = <T>(part: T): Draft<T> => part as Draft<T>;

/**
 * Every version that is the stored one now has objects in the store from now on. It stays in `status.storedVersions` until an administrator
 * has migrated the objects and removed it: before that the version must not disappear from the spec.
 */
function noteStoredVersion(draft: Draft<Definition>): void {
  const stored = draft.spec.versions.find(({ storage }) => storage)?.name;
  const known = draft.status.storedVersions ?? [];
  if (stored !== undefined && !known.includes(stored)) draft.status.storedVersions = [...known, stored];
}

/** Feature gate of the rules in schemas. */
const RULES = "CustomResourceValidationExpressions";

/** How definitions are written. The controllers own the status: what clients send of it with the object is ignored. */
export const definitionStrategy: Strategy<Definition> = {
  nameFormat: "dns-subdomain",
  allowUnconditionalUpdate: false,
  generation: ({ spec }) => spec,
  prepareForCreate: (draft, { featureEnabled }) => {
    if (!featureEnabled(RULES)) dropRules(draft, undefined);
    draft.status = { acceptedNames: { plural: "", kind: "" } };
    noteStoredVersion(draft);
    applyDefinitionDefaults(draft);
  },
  validate: validateDefinition,
  prepareForUpdate: (draft, old, { featureEnabled }) => {
    if (!featureEnabled(RULES)) dropRules(draft, old);
    draft.status = { ...share(old.status) };
    noteStoredVersion(draft);
  },
  validateUpdate: validateDefinitionUpdate,
  validateLong: longDefinitionErrors,
  // Its objects are deleted first: the definition gets a deletion timestamp and is removed when they are gone.
  holdsDeletion: ({ metadata }) => metadata.deletionTimestamp === undefined,
  prepareForDelete: (draft) => {
    const finalizers = draft.metadata.finalizers ?? [];
    if (!finalizers.includes(cleanupFinalizer)) draft.metadata.finalizers = [...finalizers, cleanupFinalizer];
    setCondition(
      draft,
      {
        type: "Terminating",
        status: "True",
        reason: "InstanceDeletionPending",
        message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      },
      new Date(draft.metadata.deletionTimestamp ?? Date.now()),
    );
  },
};

/** How the status of definitions is written. */
export const statusStrategy: UpdateStrategy<Definition> = {
  prepareForUpdate: (draft, old) => {
    draft.spec = share(old.spec);
    // Metadata is written through the object itself; only the managed fields of the status may change here.
    const { managedFields, resourceVersion } = draft.metadata;
    draft.metadata = { ...share((old as ApiObject).metadata), managedFields, resourceVersion };
  },
  validateUpdate: validateStatusUpdate,
};
