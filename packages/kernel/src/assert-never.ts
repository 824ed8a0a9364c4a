/**
 * Ends a `switch` over a union after a case for every member: a member that is added later is a type error there.
 *
 * @throws Error when a value is none of the members at run time. The message names only the value's `type` or `kind`, because
 * values may hold secrets.
 */
export function assertNever(value: never): never {
  throw new Error(`unexpected ${describe(value)}: no case of a switch over all known values matches it`);
}

function describe(value: unknown): string {
  if (typeof value !== "object" || value === null) return `value ${JSON.stringify(value) ?? String(value)}`;
  for (const name of ["type", "kind"])
    if (name in value) return `${name} ${JSON.stringify((value as Readonly<Record<string, unknown>>)[name])}`;
  return "value";
}
