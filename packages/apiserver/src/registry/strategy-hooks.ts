import type { ApiObject, Draft, ResourceDefinition } from "@orchernetes/apimachinery";

/** Hooks of deletion that a strategy may bring beyond {@link Strategy}; see there for the rest. */
export interface DeletionHooks {
  /** Answer DELETE with the removed object instead of a Status. */
  readonly returnDeletedObject?: boolean;
  /** Whether the object must stay although no finalizer in metadata holds it (a namespace's own finalizers). */
  readonly holdsDeletion?: (object: ApiObject) => boolean;
  /** Shapes an object that is being marked as deleted (a namespace's phase). */
  readonly prepareForDelete?: (draft: Draft<ApiObject>) => void;
}

/** The deletion hooks of a definition. */
export function deletionHooks(definition: ResourceDefinition): DeletionHooks {
  return definition.strategy as DeletionHooks;
}
