import type { apiextensions } from "@orchernetes/api";
import { type FieldError, type FieldPath, field, isDns1123Subdomain } from "@orchernetes/apimachinery";
import { approvalAnnotation, approvalOf, isProtectedGroup } from "../definition/api-approval.ts";
import { isConditionTrue } from "../definition/conditions.ts";
import { conversionErrors } from "./conversion.ts";
import { isKept } from "./kept-versions.ts";
import { nameErrors } from "./names.ts";
import { versionErrors } from "./versions.ts";

type Definition = apiextensions.CustomResourceDefinition;
type Spec = apiextensions.CustomResourceDefinitionSpec;

const scopes = ["Cluster", "Namespaced"];

/** The rules of a new definition. */
export function validateDefinition(definition: Definition): readonly FieldError[] {
  const { spec } = definition;
  const preserve =
    spec.preserveUnknownFields === true
      ? [
          field.invalid(
            "spec.preserveUnknownFields",
            true,
            "cannot set to true, set x-orchernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
          ),
        ]
      : [];
  return [
    ...fullNameErrors(definition),
    ...specErrors(spec, undefined),
    ...statusErrors(definition),
    ...approvalErrors(definition, undefined),
    ...preserve,
  ];
}

/**
 * The rules of an update: it may keep what is invalid already, and must not change the names under which objects are stored.
 *
 * Group and plural make the keys of the store. Scope and kind are free until the definition is established: from then on there may be
 * objects, which have a kind, and a namespace or none.
 */
export function validateDefinitionUpdate(definition: Definition, old: Definition): readonly FieldError[] {
  const { spec } = definition;
  const errors = [...specErrors(spec, old.spec)];
  const same = (path: string, value: string | undefined, before: string | undefined): void => {
    if (value !== before) errors.push(field.invalid(path, value ?? "", "field is immutable"));
  };
  if (isConditionTrue(old, "Established")) {
    same("spec.scope", spec.scope, old.spec.scope);
    same("spec.names.kind", spec.names.kind, old.spec.names.kind);
  }
  same("spec.group", spec.group, old.spec.group);
  same("spec.names.plural", spec.names.plural, old.spec.names.plural);
  errors.push(...statusErrors(definition), ...approvalErrors(definition, old));
  if (spec.preserveUnknownFields === true && old.spec.preserveUnknownFields !== true)
    errors.push(field.invalid("spec.preserveUnknownFields", true, "must be false"));
  return errors;
}

/** The rules of an update of the status. */
export function validateStatusUpdate(definition: Definition): readonly FieldError[] {
  return statusErrors(definition);
}

/** The name is composed of plural and group, so that no two definitions can declare one resource. */
function fullNameErrors({ metadata, spec }: Definition): readonly FieldError[] {
  if (metadata.name === `${spec.names.plural}.${spec.group}`) return [];
  return [field.invalid("metadata.name", metadata.name ?? "", 'must be spec.names.plural+"."+spec.group')];
}

function statusErrors({ spec, status }: Definition): readonly FieldError[] {
  const path = field("status");
  return [
    ...nameErrors(status.acceptedNames, path.child("acceptedNames")),
    ...storedVersionErrors(status.storedVersions ?? [], spec, path.child("storedVersions")),
  ];
}

/** Versions of objects in the store. One that disappeared from the spec could not be read any more. */
function storedVersionErrors(stored: readonly string[], spec: Spec, path: FieldPath): readonly FieldError[] {
  if (stored.length === 0) return [field.invalid(path, stored, "must have at least one stored version")];
  const errors: FieldError[] = [];
  const known = new Set(stored);
  const versions = new Set(spec.versions.map(({ name }) => name));
  for (const { name, storage } of spec.versions) {
    if (storage && !known.has(name)) errors.push(field.invalid(path, stored, `must have the storage version ${name}`));
  }
  for (const [i, name] of stored.entries()) {
    if (!versions.has(name)) errors.push(field.invalid(path.index(i), name, "must appear in spec.versions"));
  }
  return errors;
}

/** An update may leave the annotation as invalid as it was: definitions exist that are older than the policy. */
function approvalErrors(definition: Definition, old: Definition | undefined): readonly FieldError[] {
  if (!isProtectedGroup(definition.spec.group)) return [];
  const { state, reason } = approvalOf(definition);
  if (old !== undefined && approvalOf(old).state === state) return [];
  const path = field("metadata").child("annotations").key(approvalAnnotation);
  if (state === "missing") return [field.required(path, reason)];
  if (state === "invalid")
    return [field.invalid(path, definition.metadata.annotations?.[approvalAnnotation] ?? "", reason)];
  return [];
}

function specErrors(spec: Spec, old: Spec | undefined): readonly FieldError[] {
  const path = field("spec");
  return [
    ...groupErrors(spec.group, path.child("group")),
    ...scopeErrors(spec.scope, path.child("scope")),
    ...allVersionErrors(spec, old, path.child("versions")),
    ...requiredNames(spec, path.child("names")),
    ...nameErrors(spec.names, path.child("names")),
    ...conversionErrors(spec.conversion, path.child("conversion"), old?.conversion),
  ];
}

/** A group needs a dot: groups without one, such as `apps`, are those of Kubernetes itself. */
function groupErrors(group: string, path: FieldPath): readonly FieldError[] {
  if (group === "") return [field.required(path)];
  const messages = isDns1123Subdomain(group);
  if (messages.length > 0) return [field.invalid(path, group, messages.join(","))];
  return group.includes(".") ? [] : [field.invalid(path, group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string, path: FieldPath): readonly FieldError[] {
  if (scope === "") return [field.required(path)];
  return scopes.includes(scope) ? [] : [field.notSupported(path, scope, scopes)];
}

/** Singular and listKind have defaults that are derived from the kind: they are missing only together with it. */
function requiredNames({ names }: Spec, path: FieldPath): readonly FieldError[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((name) => !names[name])
    .map((name) => field.required(path.child(name)));
}

/** Exactly one version is stored; any number may be served. */
function allVersionErrors(spec: Spec, old: Spec | undefined, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { versions } = spec;
  for (const [i, version] of versions.entries())
    if (!isKept(version, spec, old)) errors.push(...versionErrors(version, path.index(i)));
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) errors.push(field.invalid(path, names, "must contain unique version names"));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(field.invalid(path, names, "must have exactly one version marked as storage version"));
  return errors;
}
