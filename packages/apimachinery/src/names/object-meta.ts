import { FieldPath, field, type Path } from "../field-errors/field.ts";
import type { FieldError } from "../field-errors/field-error.ts";
import { goQuote, goSlice, goStruct, goTime, literal } from "../field-errors/go-value.ts";
import { parseApiVersion } from "../resource/group-version-kind.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../resource/object-meta.ts";
import type { Strategy } from "../resource/strategy.ts";
import { isDns1035Label, isDns1123Label, isDns1123Subdomain } from "./dns.ts";
import { isPathSegmentName } from "./identifiers.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { isQualifiedName } from "./qualified-name.ts";
import { byteLength } from "./regex-error.ts";

/** Format of a kind's names; see {@link Strategy.nameFormat}. */
export type NameFormat = NonNullable<Strategy<never>["nameFormat"]>;

/** Rules for the metadata of a kind. */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** @default "dns-subdomain" */
  readonly nameFormat?: NameFormat | undefined;
  /** @default metadata */
  readonly path?: Path;
  /**
   * Whether finalizers without a domain must be standard ones. False for custom resources.
   *
   * @default true
   */
  readonly standardFinalizers?: boolean;
}

/** Limit of the name of a field manager in bytes. */
export const maxFieldManagerBytes = 128;
const maxSubresourceBytes = 256;
const immutable = "field is immutable";
const standardFinalizers: ReadonlySet<string> = new Set(["orchernetes", "foregroundDeletion", "orphan"]);

/** The check of names of a format. Its parameter `prefix` allows a trailing hyphen, as in generateName. */
export function nameValidator(
  format: NameFormat = "dns-subdomain",
): (name: string, prefix: boolean) => readonly string[] {
  if (typeof format === "function") {
    return format;
  }
  if (format === "path") {
    return isPathSegmentName;
  }
  const check =
    format === "dns-label" ? isDns1123Label : format === "dns-1035-label" ? isDns1035Label : isDns1123Subdomain;
  return (name, prefix) => check(prefix ? maskTrailingDash(name) : name);
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

const at = (path: Path | undefined): FieldPath =>
  path instanceof FieldPath ? path : new FieldPath(path ?? "metadata");

/** Validates the metadata of a new object. Errors are in the order of Kubernetes. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): readonly FieldError[] {
  const path = at(rules.path);
  const checkName = nameValidator(rules.nameFormat);
  const errors: FieldError[] = [];
  const { generateName, name, namespace } = meta;
  if (generateName) {
    for (const text of checkName(generateName, true))
      errors.push(field.invalid(path.child("generateName"), generateName, text));
  }
  if (!name) {
    errors.push(field.required(path.child("name"), "name or generateName is required"));
  } else {
    for (const text of checkName(name, false)) errors.push(field.invalid(path.child("name"), name, text));
  }
  if (!rules.namespaced) {
    if (namespace) {
      errors.push(field.forbidden(path.child("namespace"), "not allowed on this type"));
    }
  } else if (!namespace) {
    errors.push(field.required(path.child("namespace")));
  } else {
    for (const text of isDns1123Label(namespace)) errors.push(field.invalid(path.child("namespace"), namespace, text));
  }
  if (meta.generation !== undefined && meta.generation < 0) {
    errors.push(field.invalid(path.child("generation"), meta.generation, "must be greater than or equal to 0"));
  }
  validateParts(meta, path, rules.standardFinalizers ?? true, errors);
  return errors;
}

/**
 * Validates the parts that every write checks. Most objects have few of them, and absent ones cost no allocation.
 *
 * @param standardFinalizers whether finalizers without a domain must be standard ones; undefined skips finalizers
 */
function validateParts(
  { labels, annotations, ownerReferences, finalizers, managedFields }: ObjectMeta,
  path: FieldPath,
  standardFinalizers: boolean | undefined,
  errors: FieldError[],
): void {
  if (labels !== undefined) errors.push(...validateLabels(labels, path.child("labels")));
  if (annotations !== undefined) errors.push(...validateAnnotations(annotations, path.child("annotations")));
  if (ownerReferences !== undefined)
    errors.push(...validateOwnerReferences(ownerReferences, path.child("ownerReferences")));
  if (finalizers !== undefined && standardFinalizers !== undefined)
    errors.push(...validateFinalizers(finalizers, path.child("finalizers"), standardFinalizers));
  if (managedFields !== undefined) errors.push(...validateManagedFields(managedFields, path.child("managedFields")));
}

/**
 * Validates metadata in an update: identity and deletion marks are immutable, a resourceVersion is required,
 * references are well formed. An object that is being deleted gets no new finalizers, because its deletion could then
 * be blocked forever.
 */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, pathOf?: Path): readonly FieldError[] {
  const path = at(pathOf);
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const known = new Set(old.finalizers ?? []);
    const extra = [...new Set((meta.finalizers ?? []).filter((name) => !known.has(name)))].sort();
    if (extra.length > 0) {
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${goSlice("string", extra).text}`;
      errors.push(field.forbidden(path.child("finalizers"), detail));
    }
  }
  if (!meta.resourceVersion) {
    const resourceVersion = meta.resourceVersion ?? "";
    errors.push(field.invalid(path.child("resourceVersion"), resourceVersion, "must be specified for an update"));
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(field.invalid(path.child("generation"), meta.generation ?? 0, "must not be decremented"));
  }
  for (const name of ["name", "namespace", "uid"] as const) {
    if ((meta[name] ?? "") !== (old[name] ?? "")) {
      errors.push(field.invalid(path.child(name), meta[name] ?? "", immutable));
    }
  }
  for (const name of ["creationTimestamp", "deletionTimestamp"] as const) {
    if ((meta[name] ?? undefined) !== (old[name] ?? undefined)) {
      errors.push(field.invalid(path.child(name), goTime(meta[name]), immutable));
    }
  }
  if (meta.deletionGracePeriodSeconds !== old.deletionGracePeriodSeconds) {
    errors.push(field.invalid(path.child("deletionGracePeriodSeconds"), meta.deletionGracePeriodSeconds, immutable));
  }
  validateParts(meta, path, undefined, errors);
  return errors;
}

function validateOwnerReferences(references: ObjectMeta["ownerReferences"], path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  let controller = "";
  // All references, up to the length of a message.
  const shown = literal(() => goSlice("v1.OwnerReference", (references ?? []).slice(0, 100).map(ownerLiteral)).text);
  for (const reference of references ?? []) {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller === true) {
      if (controller !== "") {
        const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${reference.name}`;
        errors.push(field.invalid(path, shown, detail));
      }
      controller ||= reference.name;
    }
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath): readonly FieldError[] {
  const { group, version } = parseApiVersion(reference.apiVersion) ?? { group: "", version: "" };
  const errors: FieldError[] = [];
  if (version === "") {
    errors.push(field.invalid(path.child("apiVersion"), reference.apiVersion, "version must not be empty"));
  }
  for (const name of ["kind", "name", "uid"] as const) {
    if (reference[name] === "") {
      errors.push(field.invalid(path.child(name), "", `${name} must not be empty`));
    }
  }
  if (group === "" && version === "v1" && reference.kind === "Event") {
    errors.push(field.invalid(path, ownerLiteral(reference), "/v1, Kind=Event is disallowed from being an owner"));
  }
  return errors;
}

const boolPointer = (value: boolean | undefined) => literal(value === undefined ? "(*bool)(nil)" : `(*bool)(${value})`);

const ownerLiteral = (reference: OwnerReference) =>
  goStruct("v1.OwnerReference", {
    APIVersion: reference.apiVersion,
    Kind: reference.kind,
    Name: reference.name,
    UID: literal(goQuote(reference.uid)),
    Controller: boolPointer(reference.controller),
    BlockOwnerDeletion: boolPointer(reference.blockOwnerDeletion),
  });

/** Validates the name of a finalizer, which is a qualified name. */
export function validateFinalizerName(name: string, path: Path): readonly FieldError[] {
  return isQualifiedName(name).map((message) => field.invalid(path, name, message));
}

function validateFinalizers(
  finalizers: ObjectMeta["finalizers"],
  path: FieldPath,
  standardOnly: boolean,
): readonly FieldError[] {
  const names = finalizers ?? [];
  const errors: FieldError[] = [];
  for (const name of names) {
    errors.push(...validateFinalizerName(name, path));
  }
  if (names.includes("orphan") && names.includes("foregroundDeletion")) {
    errors.push(field.invalid(path, names, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  for (const [i, name] of names.entries()) {
    if (standardOnly && !name.includes("/") && !standardFinalizers.has(name)) {
      const detail = "name is neither a standard finalizer name nor is it fully qualified";
      errors.push(field.invalid(path.index(i), name, detail));
    }
  }
  return errors;
}

/** Validates the name of a field manager: at most 128 bytes, printable. */
export function validateFieldManager(manager: string, path: Path): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (byteLength(manager) > maxFieldManagerBytes) {
    errors.push(field.tooLong(path, manager, maxFieldManagerBytes));
  }
  const bad = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(manager);
  if (bad !== null) {
    const index = byteLength(manager.slice(0, bad.index));
    errors.push(
      field.invalid(path, manager, `should only contain printable characters (invalid character at index ${index})`),
    );
  }
  return errors;
}

function validateManagedFields(entries: ObjectMeta["managedFields"], path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const list = entries ?? [];
  for (let i = 0; i < list.length; i++) {
    const entry = list[i] as ManagedFieldsEntry;
    const item = path.index(i);
    const operation = entry.operation ?? "";
    if (operation !== "Apply" && operation !== "Update") {
      errors.push(field.invalid(item.child("operation"), operation, "must be `Apply` or `Update`"));
    }
    if (entry.fieldsType && entry.fieldsType !== "FieldsV1") {
      errors.push(field.invalid(item.child("fieldsType"), entry.fieldsType, "must be `FieldsV1`"));
    }
    errors.push(...validateFieldManager(entry.manager ?? "", item.child("manager")));
    if (byteLength(entry.subresource ?? "") > maxSubresourceBytes) {
      errors.push(field.tooLong(item.child("subresource"), entry.subresource, maxSubresourceBytes));
    }
  }
  return errors;
}
