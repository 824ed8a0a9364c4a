import { type ApiObject, apiVersionOf, canonicalize, type ResourceDefinition } from "@orchernetes/apimachinery";

/**
 * An object of one version of a kind as another version has it, in canonical form: the one place where objects change their version,
 * for reads, writes, managed fields and admission.
 *
 * @param object of version `from`; not changed
 * @param to another version of the same resource
 * @param work its signal ends a webhook's conversion
 * @returns a promise where a webhook converts
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

/** Of the kind and version of a definition, in its canonical form. */
function formOf(object: ApiObject, definition: ResourceDefinition): ApiObject {
  const { kind, schema } = definition;
  return canonicalize(schema, { ...object, kind, apiVersion: apiVersionOf(definition) }) as ApiObject;
}
