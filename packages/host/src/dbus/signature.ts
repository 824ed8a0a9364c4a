/** Values of messages: `x` and `t` are bigints; structs, arrays and entries of dictionaries are lists; `v` is a {@link Variant}. */
export type DbusValue = string | number | bigint | boolean | Variant | readonly DbusValue[];

/** A value with its own type. */
export interface Variant {
  readonly signature: string;
  readonly value: DbusValue;
}

/** Deepest nesting of arrays and structs together that the specification allows. */
const maxDepth = 64;
const basic = "ybnqiuxtdsogvh";

/**
 * The complete types of a signature: `sa{sv}` has `s` and `a{sv}`.
 *
 * @throws Error if it is no signature
 */
export function completeTypes(signature: string): readonly string[] {
  if (signature.length > 255) throw new Error("a D-Bus signature has at most 255 characters");
  const types: string[] = [];
  for (let at = 0; at < signature.length; ) {
    const end = typeEnd(signature, at, 0);
    types.push(signature.slice(at, end));
    at = end;
  }
  return types;
}

/** The types within a struct or an entry of a dictionary, such as `(su)` or `{sv}`. */
export const membersOf = (type: string): readonly string[] => completeTypes(type.slice(1, -1));

function typeEnd(signature: string, at: number, depth: number): number {
  const invalid = (): Error => new Error(`${JSON.stringify(signature)} is no D-Bus signature`);
  const code = signature[at];
  if (code === undefined || depth > maxDepth) throw invalid();
  if (basic.includes(code)) return at + 1;
  if (code === "a") return typeEnd(signature, at + 1, depth + 1);
  const close = code === "(" ? ")" : code === "{" ? "}" : undefined;
  if (close === undefined) throw invalid();
  let end = at + 1;
  let members = 0;
  for (; signature[end] !== close; members++) end = typeEnd(signature, end, depth + 1);
  if (members === 0 || (close === "}" && members !== 2)) throw invalid();
  return end + 1;
}

/** The boundary at which values of a type begin, in bytes. */
export function alignmentOf(type: string): number {
  switch (type[0]) {
    case "y":
    case "g":
    case "v":
      return 1;
    case "n":
    case "q":
      return 2;
    case "x":
    case "t":
    case "d":
    case "(":
    case "{":
      return 8;
    default:
      return 4;
  }
}
