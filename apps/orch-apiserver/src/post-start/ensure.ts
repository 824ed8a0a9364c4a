import { type ApiObject, isAlreadyExists, isNotFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";

/** Creates the object unless one of its name is stored; what is there is left as it is. */
export async function ensureCreated<T extends ApiObject>(
  registry: Registry,
  definition: ResourceDefinition<T>,
  object: T,
): Promise<void> {
  const store = registry.forDefinition(definition);
  const ref = { namespace: object.metadata.namespace ?? "", name: object.metadata.name ?? "" };
  // A deleted object may still be in the cache; the next run notices.
  if (store.cached(ref) !== undefined) return;
  try {
    await store.get(ref);
    return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  try {
    await store.create(object);
  } catch (error) {
    // Another server was faster.
    if (!isAlreadyExists(error)) throw error;
  }
}
