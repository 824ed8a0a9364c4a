import type { ApiObject, Draft, ResourceDefinition } from "@orchernetes/apimachinery";

/**
 * Outcome of a write. `rejected`: nothing was stored. `unknown`: the store did not report whether it accepted the write, so what was
 * reserved for the object may be in use.
 */
export type WriteOutcome = "stored" | "rejected" | "unknown";

/** Ends what a hook began, with the outcome of the write. Called exactly once; must not throw. */
export type FinishWrite = (outcome: WriteOutcome) => void | Promise<void>;

/** Context of a write. */
export interface WriteHookContext {
  /** Nothing will be stored, so nothing may be reserved. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/**
 * Takes part in all writes of one resource, including those of the server itself, from before the strategy until they are stored
 * or rejected. For what an object needs besides its own key, such as addresses from a range: reserve it at the beginning, and
 * release it when the write is rejected.
 *
 * Not called for updates of subresources, nor for updates that bypass the strategy. An update may begin several times, each time
 * with a newer `old`.
 */
export interface WriteHooks {
  readonly definition: ResourceDefinition;
  /** After mutating admission; may change `draft`. @throws ApiError to reject the write, with nothing reserved */
  beginCreate(draft: Draft<ApiObject>, context: WriteHookContext): Promise<FinishWrite>;
  /** Like {@link beginCreate}, for a change of the stored object `old`. */
  beginUpdate(draft: Draft<ApiObject>, old: ApiObject, context: WriteHookContext): Promise<FinishWrite>;
  /** The object is no longer stored. Must not throw. */
  afterDelete(object: ApiObject): Promise<void>;
}
