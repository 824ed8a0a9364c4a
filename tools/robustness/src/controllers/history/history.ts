import type { Facts } from "../facts/facts.ts";

/** A version of an object. */
export interface ObjectEvent {
  /** The revision of the store, which orders the events of all resources. */
  readonly revision: number;
  /** When it was received, in milliseconds of a monotonic clock. */
  readonly atMs: number;
  /** Whether this revision removed the object, which is given as it was last. */
  readonly deleted: boolean;
  readonly object: Facts;
}

/** Revisions of which versions may be missing: the events of a resource were lost, and it was listed again. */
export interface Gap {
  /** The last revision that is known to be complete. */
  readonly after: number;
  /** The revision of the list. */
  readonly until: number;
}

/** What was recorded of the objects of a round. */
export interface ControllerHistory {
  /** In any order. */
  readonly events: readonly ObjectEvent[];
  readonly gaps: readonly Gap[];
}
