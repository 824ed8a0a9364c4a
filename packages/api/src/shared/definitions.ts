import type { ApiObject, ResourceDefinition, Verb } from "@orchernetes/apimachinery";

/** The verbs of every stored resource. */
export const allVerbs: readonly Verb[] = Object.freeze([
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
]);

/** The verbs of a subresource that reads and writes its parent, such as `status`. */
export const subresourceVerbs: readonly Verb[] = Object.freeze(["get", "patch", "update"]);

/** The verb of a review: the server answers it immediately and never stores it. */
export const reviewVerbs: readonly Verb[] = Object.freeze(["create"]);

/**
 * A definition as a member of a list of different kinds. Its functions still expect objects of their own kind: callers
 * have decoded the object by the schema of the same definition, which is what makes this cast safe.
 */
export function erase<T extends ApiObject>(definition: ResourceDefinition<T>): ResourceDefinition {
  return definition as unknown as ResourceDefinition;
}
