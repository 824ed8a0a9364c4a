import { core } from "@orchernetes/api";
import type { AdmissionAttributes, AdmissionContext } from "@orchernetes/apiserver";

/**
 * The namespace of a write. The watch cache may not have seen one that was just created; then the store is asked.
 * @throws ApiError NotFound
 */
export function currentNamespace(
  { namespace: name }: Pick<AdmissionAttributes, "namespace">,
  { registry, signal }: AdmissionContext,
): core.Namespace | Promise<core.Namespace> {
  const store = registry.forDefinition(core.namespaces);
  const ref = { namespace: "", name };
  return store.cached(ref) ?? store.get(ref, { signal });
}
