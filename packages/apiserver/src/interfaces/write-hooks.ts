import type { ApiObject, Draft, ResourceDefinition } from "@orchernetes/apimachinery";

/**
 * How a write ended. `rejected`: nothing was stored. `unknown`: the store did not say whether it took the write, so what was
 * set aside for the object may be in use.
 */
export type WriteOutcome = "stored" | "rejected" | "unknown";

/** Ends what a hook began. Called exactly once; must not throw. */
export type FinishWrite = (outcome: WriteOutcome) => void | Promise<void>;

/** What hooks may know of a write. */
export interface WriteHookContext {
  /** Nothing is going to be stored, so nothing may be set aside. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/**
 * Takes part in the writes of one resource from before its strategy until they are stored or rejected, whoever writes (the
 * server itself included). For what an object needs besides its own key, such as addresses from a range: set it aside at the
 * beginning, and give it back when the write is rejected.
 *
 * Updates of subresources and bare ones are not seen. An update may begin several times, each time with a newer `old`.
 */
export interface WriteHooks {
  readonly definition: ResourceDefinition;
  /** After mutating admission; may change `draft`. @throws ApiError to refuse, with nothing set aside */
  beginCreate(draft: Draft<ApiObject>, context: WriteHookContext): Promise<FinishWrite>;
  /** Like {@link beginCreate}, for a change of `old`, which is what is stored. */
  beginUpdate(draft: Draft<ApiObject>, old: ApiObject, context: WriteHookContext): Promise<FinishWrite>;
  /** The object is no longer stored. Must not throw. */
  afterDelete(object: ApiObject): Promise<void>;
}
