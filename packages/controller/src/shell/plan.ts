/** What a reconcile decided: things to do in order, and when to look again although nothing happened. */
export interface Plan<Action> {
  readonly actions: readonly Action[];
  /** Milliseconds until the world, unchanged, may want another decision. */
  readonly requeueAfterMs?: number;
}

/** Nothing to do. */
export const noPlan: Plan<never> = Object.freeze({ actions: [] });

/** The earlier of two times to look again. */
export function sooner(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
