import type { ApiObject, Draft, Strategy } from "@orchernetes/apimachinery";

/** A strategy with what some kinds need beyond the usual when their objects go. */
export interface StoredStrategy<T extends ApiObject> extends Strategy<T> {
  /** Answer DELETE with the removed object instead of a Status. */
  readonly returnDeletedObject?: boolean;
  /** Whether the object stays although no finalizer in its metadata holds it. */
  readonly holdsDeletion?: (object: T) => boolean;
  /** Shapes an object that is being marked as deleted. */
  readonly prepareForDelete?: (object: Draft<T>) => void;
}

/** Types a strategy so that its deletion hooks pass where a plain strategy is asked for. */
export function storedStrategy<T extends ApiObject>(strategy: StoredStrategy<T>): Strategy<T> {
  return strategy;
}
