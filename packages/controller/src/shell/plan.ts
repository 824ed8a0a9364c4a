/** The result of a reconcile: actions to carry out in order, and when to reconcile again without an event. */
export interface Plan<Action> {
  readonly actions: readonly Action[];
  /** Milliseconds after which the unchanged state may need another decision. */
  readonly requeueAfterMs?: number;
}

/** A plan without actions. */
export const noPlan: Plan<never> = Object.freeze({ actions: [] });

/** The shorter of two requeue delays; undefined is no requeue. */
export function sooner(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
