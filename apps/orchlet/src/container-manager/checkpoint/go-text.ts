/**
 * The text from which the original computes the checksums of its state files: Go's format `%#v` as the library spew writes it. It
 * makes the state files compatible with the original's.
 *
 * @module
 */

/** A value of Go. */
export interface GoValue {
  /** The type as Go names it, such as `map[string]string`; of a pointer the type that it points to. */
  readonly type: string;
  readonly text: string;
  readonly pointer?: boolean;
}

const typed = ({ type, text, pointer = false }: GoValue): string => `(${pointer ? "*" : ""}${type})${text}`;
/** Keys and values of maps and elements of lists are written without their type. */
const untyped = ({ text, pointer = false }: GoValue): string => (pointer ? `<*>${text}` : text);

/** A string or a number. */
export const goScalar = (type: string, value: string | number): GoValue => ({ type, text: String(value) });

/** A structure with its fields in their order. */
export const goStruct = (type: string, fields: Readonly<Record<string, GoValue>>): GoValue => ({
  type,
  text: `{${Object.entries(fields)
    .map(([name, value]) => `${name}:${typed(value)}`)
    .join(" ")}}`,
});

/** A pointer to a structure. */
export const goPointer = (value: GoValue): GoValue => ({ ...value, pointer: true });

/** A slice. */
export const goList = (type: string, items: readonly GoValue[]): GoValue => ({
  type,
  text: `[${items.map(untyped).join(" ")}]`,
});

/** A map whose keys are strings, or numbers as text; they are sorted as such. */
export const goMap = (type: string, entries: Iterable<readonly [string, GoValue]>): GoValue => ({
  type,
  text: `map[${[...entries]
    .sort(([a], [b]) => compareKeys(a, b))
    .map(([key, value]) => `${key}:${untyped(value)}`)
    .join(" ")}]`,
});

function compareKeys(a: string, b: string): number {
  if (/^-?\d+$/.test(a) && /^-?\d+$/.test(b)) return Number(a) - Number(b);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The checksum of a value: FNV-1a with 32 bits over its text. */
export function goChecksum(value: GoValue): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(typed(value))) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
