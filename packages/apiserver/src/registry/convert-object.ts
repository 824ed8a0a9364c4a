import { type ApiObject, apiVersionOf, canonicalize, type ResourceDefinition } from "@orchernetes/apimachinery";

/**
 * Converts an object from one version of a kind to another, in canonical form. It is the only place where objects
 * change their version: for reads, writes, managed fields and admission.
 *
 * Built-in kinds convert through the stored version, as upstream does through its internal one: `from` → stored → `to`.
 * With n versions that takes 2n functions instead of n². Webhooks of custom resources convert directly.
 *
 * @param object of version `from`; not changed
 * @param to another version of the same resource
 * @param work its signal ends the call of a webhook
 * @returns a promise if a webhook converts
 * @throws ApiError 500 when the webhook fails
 */
export function convertObject(
  object: ApiObject,
  from: ResourceDefinition,
  to: ResourceDefinition,
  work: { readonly signal: AbortSignal },
): ApiObject | Promise<ApiObject> {
  if (from.group === to.group && from.version === to.version) return object;
  if (to.converter !== undefined)
    return to.converter
      .convert([object], apiVersionOf(to), work.signal)
      .then(([converted = object]) => formOf(converted, to));
  const stored = from.storedAs?.toStored?.(object) ?? object;
  return formOf(to.storedAs?.fromStored?.(stored) ?? stored, to);
}

/** The object with a definition's kind and apiVersion, in its canonical form. */
function formOf(object: ApiObject, definition: ResourceDefinition): ApiObject {
  const { kind, schema } = definition;
  return canonicalize(schema, { ...object, kind, apiVersion: apiVersionOf(definition) }) as ApiObject;
}
