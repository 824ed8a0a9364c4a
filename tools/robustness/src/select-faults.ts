/**
 * The faults that are wanted, or all if none is.
 *
 * @throws Error when there is no fault of a name
 */
export function selectFaults<F extends string>(all: readonly F[], wanted: readonly string[]): readonly F[] {
  const unknown = wanted.find((name) => !all.some((fault) => fault === name));
  if (unknown !== undefined) throw new Error(`no fault ${JSON.stringify(unknown)}: want ${all.join(", ")}`);
  return wanted.length === 0 ? all : all.filter((fault) => wanted.includes(fault));
}
