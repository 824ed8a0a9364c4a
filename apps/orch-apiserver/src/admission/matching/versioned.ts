import { type ApiObject, apiVersionOf, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, GroupVersionKind, Registry } from "@orchernetes/apiserver";

/** A write with its objects in the form that a hook or policy wants to see. */
export interface VersionedAttributes {
  /** The write as it was requested. */
  readonly attributes: AdmissionAttributes;
  readonly kind: GroupVersionKind;
  /** Undefined where that of the attributes is. */
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/**
 * The write with object and old object converted to another version of the requested kind. Objects that are of the kind already are
 * those of the attributes themselves.
 *
 * @throws Error when the kind is not another version of the requested one: a mistake of the program
 */
export function versioned(
  attributes: AdmissionAttributes,
  kind: GroupVersionKind,
  registry: Registry,
): VersionedAttributes | Promise<VersionedAttributes> {
  const { object, oldObject } = attributes;
  if (isSameKind(attributes.kind, kind)) return { attributes, kind, object, oldObject };
  const from = attributes.definition;
  const to = registry.lookupKind(kind.group, kind.version, kind.kind)?.definition;
  if (from === undefined || to === undefined)
    throw new Error(`unable to convert to ${kind.group}/${kind.version}, Kind=${kind.kind}: unknown kind`);
  const converted = (one: ApiObject | undefined) => one && convertObject(one, from, to);
  return { attributes, kind, object: converted(object), oldObject: converted(oldObject) };
}

/** Whether two kinds are the same, version included. */
const isSameKind = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
  a.kind === b.kind && a.version === b.version && a.group === b.group;

/** The object in the form of another version that shares its storage. The object itself is not changed. */
function convertObject(object: ApiObject, from: ResourceDefinition, to: ResourceDefinition): ApiObject {
  const stored = from.storedAs === undefined ? object : from.storedAs.toStored(object);
  const shown = to.storedAs === undefined ? stored : to.storedAs.fromStored(stored);
  return { ...shown, kind: to.kind, apiVersion: apiVersionOf(to) };
}
