import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";

/**
 * A definition among others of different kinds. Its functions still expect their own kind; whoever calls them has decoded the
 * object by the same definition's schema.
 */
export function erase<T extends ApiObject>(definition: ResourceDefinition<T>): ResourceDefinition {
  return definition as unknown as ResourceDefinition;
}
