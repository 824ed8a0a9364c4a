/** What all conditions have in common, whatever they are about. */
interface AnyCondition {
  readonly type: string;
  readonly status: string;
}

/** The condition of a type; undefined when there is none. */
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
