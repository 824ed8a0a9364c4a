import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  opaque,
  stringType,
  type Type,
  timestampType,
  typeType,
  uintType,
} from "../language/types.ts";

/** One form of a function: what it takes and returns. The checker chooses by declared types, the implementation by values. */
export interface Overload {
  readonly name: string;
  /** Type of what a method is called on; undefined for functions. */
  readonly target: Type | undefined;
  readonly args: readonly Type[];
  readonly result: Type;
}

/** Types of the language by the names that tables of overloads use. */
const simple: Readonly<Record<string, Type>> = {
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  null: nullType,
  timestamp: timestampType,
  duration: durationType,
  type: typeType,
  dyn: dynType,
};

/**
 * Overloads from a table with one a line: `name(types) result`, or `target.name(types) result` for methods. A type in upper case is
 * a parameter; names that are not of the language are opaque types.
 *
 * @throws Error if a line has another form
 */
export function overloads(table: string): readonly Overload[] {
  return table
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(overload);
}

function overload(line: string): Overload {
  const reader = new Reader(line);
  // The target is a type, and methods have the names of no type: whatever is before the last dot that is outside of brackets.
  const open = reader.callAt();
  const head = line.slice(0, open);
  const dot = head.lastIndexOf(".");
  const method = dot > 0;
  const name = method ? head.slice(dot + 1) : head;
  const target = method ? new Reader(head.slice(0, dot)).type() : undefined;
  reader.position = open + 1;
  const args: Type[] = [];
  while (!reader.skip(")")) {
    args.push(reader.type());
    reader.skip(",");
  }
  return { name, target, args, result: reader.type() };
}

/** Reads a line of a table. The tables are constants of this package or of its callers, so that an error is a programming error. */
class Reader {
  readonly #text: string;
  position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the brackets of the call open: the last ones before the result, which are balanced. */
  callAt(): number {
    let end = this.#text.length;
    // The result follows the last blank that is outside of brackets.
    for (let depth = 0; end > 0; end--) {
      const character = this.#text[end - 1];
      if (character === ")") depth++;
      else if (character === "(") depth--;
      else if (character === " " && depth === 0) break;
    }
    let depth = 0;
    for (let i = end - 2; i >= 0; i--) {
      if (this.#text[i] === ")") depth++;
      else if (this.#text[i] === "(" && --depth === 0) return i;
    }
    throw new Error(`declare function "${this.#text}": expected name(types) result`);
  }

  skip(token: string): boolean {
    while (this.#text[this.position] === " ") this.position++;
    if (this.#text[this.position] !== token) return false;
    this.position++;
    return true;
  }

  type(): Type {
    while (this.#text[this.position] === " ") this.position++;
    const start = this.position;
    while (/[\w.]/.test(this.#text[this.position] ?? "")) this.position++;
    const name = this.#text.slice(start, this.position);
    if (name === "") throw new Error(`declare function "${this.#text}": expected a type at ${start}`);
    if (name === "list" || name === "map") return this.#container(name);
    const known = simple[name];
    if (known !== undefined) return known;
    return /^[A-Z]$/.test(name) ? { kind: "parameter", name } : opaque(name);
  }

  #container(name: "list" | "map"): Type {
    this.skip("(");
    const first = this.type();
    if (name === "list") {
      this.skip(")");
      return listOf(first);
    }
    this.skip(",");
    const second = this.type();
    this.skip(")");
    return mapOf(first, second);
  }
}
