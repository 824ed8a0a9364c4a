import type { ApiObject } from "@orchernetes/apimachinery";
import { type AdmissionAttributes, convertObject, type GroupVersionKind, type Registry } from "@orchernetes/apiserver";

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
 * @param work its signal ends a conversion by a webhook, which ends by itself after a while
 * @returns a promise where a webhook converts
 * @throws ApiError 500 when it fails
 * @throws Error when the kind is not another version of the requested one: a mistake of the program
 */
export function versioned(
  attributes: AdmissionAttributes,
  kind: GroupVersionKind,
  registry: Registry,
  work: { readonly signal: AbortSignal } = unending,
): VersionedAttributes | Promise<VersionedAttributes> {
  const { object, oldObject } = attributes;
  if (isSameKind(attributes.kind, kind)) return { attributes, kind, object, oldObject };
  const from = attributes.definition;
  const to = registry.lookupKind(kind.group, kind.version, kind.kind)?.definition;
  if (from === undefined || to === undefined)
    throw new Error(`unable to convert to ${kind.group}/${kind.version}, Kind=${kind.kind}: unknown kind`);
  const converted = (one: ApiObject | undefined) => one && convertObject(one, from, to, work);
  const both = [converted(object), converted(oldObject)] as const;
  const made = (one: ApiObject | undefined, old: ApiObject | undefined) => ({
    attributes,
    kind,
    object: one,
    oldObject: old,
  });
  const [one, old] = both;
  if (!(one instanceof Promise) && !(old instanceof Promise)) return made(one, old);
  return Promise.all(both).then(([newer, older]) => made(newer, older));
}

const unending = { signal: new AbortController().signal };

/** Whether two kinds are the same, version included. */
export const isSameKind = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
  a.kind === b.kind && a.version === b.version && a.group === b.group;
