/** The fields that conditions of all kinds have in common. Source: API conventions, "Typical status properties". */
interface AnyCondition {
  readonly type: string;
  readonly status: string;
  /** RFC 3339. */
  readonly lastTransitionTime?: string | undefined;
}

/** The condition of a type; undefined if there is none. */
export function findCondition<T extends AnyCondition>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether there is a condition of the type, and it is True. */
export function isConditionTrue(conditions: readonly AnyCondition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/**
 * Sets a condition: replaces the one of its type, or adds it at the end. The transition time changes only with the
 * status; otherwise that of the old condition is kept.
 */
export function withCondition<T extends AnyCondition>(conditions: readonly T[] | undefined, next: T): readonly T[] {
  const known = findCondition(conditions, next.type);
  if (conditions === undefined || known === undefined) return [...(conditions ?? []), next];
  const { lastTransitionTime } = known;
  const made =
    known.status === next.status && lastTransitionTime !== undefined ? { ...next, lastTransitionTime } : next;
  return conditions.map((condition) => (condition === known ? made : condition));
}
