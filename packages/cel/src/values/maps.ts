import { library } from "./library.ts";
import { Failure, type MapValue, type Outcome, type Value } from "./value.ts";

/** A map that an expression makes. Integers and equal floating point numbers are one key. */
export function mapValue(entries: readonly (readonly [Value, Value])[]): MapValue | Failure {
  const values = new Map<string, Outcome>();
  // Keys in the order in which they were written, for loops over them.
  const keys: Value[] = [];
  for (const [key, value] of entries) {
    const name = keyOf(key);
    if (name === undefined) return new Failure("unsupported key type");
    if (values.has(name)) return new Failure(`Failed with repeated key: ${name.slice(1)}`);
    values.set(name, value);
    keys.push(key);
  }
  return {
    kind: "map",
    size: keys.length,
    get: (key) => {
      const name = keyOf(key);
      return name === undefined ? undefined : values.get(name);
    },
    keys: () => keys,
  };
}

/** A key as a text; its first letter keeps texts, booleans and numbers apart. Undefined for values that cannot be keys. */
function keyOf(key: Value): string | undefined {
  switch (typeof key) {
    case "string":
      return `s${key}`;
    case "boolean":
      return `b${key}`;
    case "bigint":
      return `i${key}`;
    case "number":
      return Number.isInteger(key) ? `i${BigInt(key)}` : undefined;
    default:
      return library().library.isCelUint(key) ? `i${key.value}` : undefined;
  }
}
