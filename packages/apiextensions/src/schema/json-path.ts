import { isPlain } from "./structural.ts";

/** A compiled path, which finds values in an object. It never fails: what a path does not match is absent. */
export interface JsonPath {
  /** All that is found, in order. */
  readonly find: (root: unknown) => readonly unknown[];
}

/** One step: from a value to those it leads to. */
type Step = (value: unknown, out: unknown[]) => void;

/** A path that cannot be read, and why. */
export interface JsonPathSyntaxError {
  readonly error: string;
}

/** Steps of a path; each costs a pass over the values found so far, for every object of a table. */
const mostSteps = 64;
/** Values that a step may lead to; wildcards over wildcards stop there. */
const mostValues = 10_000;

/**
 * Reads a path as columns of tables have them, in the dialect of `orchctl -o jsonpath` without templates: `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.a['b.c']`,
 * `.list[0]`, `.list[-1:]`, `.list[*].name`, `..name`. Braces around the whole are allowed.
 */
export function parseJsonPath(text: string): JsonPath | JsonPathSyntaxError {
  const inner = text.startsWith("{") && text.endsWith("}") ? text.slice(1, -1) : text;
  try {
    const steps = new Parser(inner).steps();
    return { find: (root) => walk(steps, root) };
  } catch (error) {
    if (error instanceof PathError) return { error: error.message };
    throw error;
  }
}

/** Ends parsing; {@link parseJsonPath} returns its message. */
class PathError extends Error {}

/** Applies the steps one after the other, each to all values that the step before found. */
function walk(steps: readonly Step[], root: unknown): readonly unknown[] {
  let values: unknown[] = [root];
  for (const step of steps) {
    const next: unknown[] = [];
    for (const value of values) {
      step(value, next);
      if (next.length > mostValues) break;
    }
    values = next;
    if (values.length === 0) break;
  }
  return values;
}

/** `.name` or `['name']`. Inherited members such as `constructor` are not found. */
const member =
  (name: string): Step =>
  (value, out) => {
    if (isPlain(value) && Object.hasOwn(value, name)) out.push(value[name]);
  };

/** `*`: all items or members. */
const everything: Step = (value, out) => {
  if (Array.isArray(value)) out.push(...value.slice(0, mostValues));
  else if (isPlain(value)) out.push(...Object.values(value).slice(0, mostValues));
};

/** The value and all below it, without recursion. */
const descendants: Step = (value, out) => {
  const pending = [value];
  for (let at = 0; at < pending.length && out.length < mostValues; at++) {
    const one = pending[at];
    out.push(one);
    if (Array.isArray(one)) pending.push(...one.slice(0, mostValues));
    else if (isPlain(one)) pending.push(...Object.values(one).slice(0, mostValues));
  }
};

/** `[from:to:step]`; negative positions count from the end. */
function slice(from: number | undefined, to: number | undefined, step: number): Step {
  return (value, out) => {
    if (!Array.isArray(value)) return;
    const part = value.slice(from, to);
    for (let i = 0; i < part.length; i += step) out.push(part[i]);
  };
}

const at =
  (index: number): Step =>
  (value, out) => {
    if (!Array.isArray(value)) return;
    const found = value.at(index);
    if (found !== undefined) out.push(found);
  };

/** `[0,2]`: what each of the parts finds, in their order. */
const union =
  (steps: readonly Step[]): Step =>
  (value, out) => {
    for (const step of steps) step(value, out);
  };

/** A side of a comparison in a filter: a path from the item (`@.type`), or a constant. */
type Operand = { readonly steps: readonly Step[] } | { readonly literal: unknown };

const operators: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<=": (a, b) => ordered(a, b) && (a as number) <= (b as number),
  ">=": (a, b) => ordered(a, b) && (a as number) >= (b as number),
  "<": (a, b) => ordered(a, b) && (a as number) < (b as number),
  ">": (a, b) => ordered(a, b) && (a as number) > (b as number),
};

/** Only values of one type have an order; a comparison across types is false, not an error. */
const ordered = (a: unknown, b: unknown): boolean =>
  typeof a === typeof b && ["number", "bigint", "string"].includes(typeof a);

/** `[?(left operator right)]`: keeps items for which it holds; without an operator, those that have the value. Compares first values only. */
function filter(left: Operand, operator: string | undefined, right: Operand | undefined): Step {
  const valuesOf = (operand: Operand, item: unknown): readonly unknown[] =>
    "steps" in operand ? walk(operand.steps, item) : [operand.literal];
  return (value, out) => {
    if (!Array.isArray(value)) return;
    for (const item of value) {
      const [a] = valuesOf(left, item);
      if (operator === undefined || right === undefined) {
        if (a !== undefined) out.push(item);
        continue;
      }
      const [b] = valuesOf(right, item);
      if (a !== undefined && operators[operator]?.(a, b) === true) out.push(item);
    }
  };
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  steps(): readonly Step[] {
    const steps = this.#path(false);
    if (this.#at < this.#text.length) throw this.#unexpected();
    return steps;
  }

  /** @param inFilter the path ends at an operator or bracket */
  #path(inFilter: boolean): readonly Step[] {
    const steps: Step[] = [];
    if (this.#text[this.#at] === "$") this.#at++;
    while (this.#at < this.#text.length) {
      if (steps.length > mostSteps) throw new PathError(`has more than ${mostSteps} steps`);
      const char = this.#text[this.#at];
      if (char === ".") this.#dot(steps);
      else if (char === "[") steps.push(this.#brackets());
      else if (inFilter) break;
      else throw this.#unexpected();
    }
    return steps;
  }

  #dot(steps: Step[]): void {
    this.#at++;
    if (this.#text[this.#at] === ".") {
      this.#at++;
      steps.push(descendants);
    }
    if (this.#text[this.#at] === "*") {
      this.#at++;
      steps.push(everything);
      return;
    }
    if (this.#text[this.#at] === "[") return;
    const name = this.#name();
    if (name !== "") steps.push(member(name));
    else if (this.#text !== ".") throw this.#unexpected();
  }

  #name(): string {
    let name = "";
    for (; this.#at < this.#text.length; this.#at++) {
      let char = this.#text[this.#at] as string;
      if (char === "\\") {
        this.#at++;
        char = this.#text[this.#at] ?? "";
      } else if (".[]() \t\n=!<>{}'\"|,@?".includes(char)) break;
      name += char;
    }
    return name;
  }

  #brackets(): Step {
    this.#at++;
    if (this.#text.startsWith("?(", this.#at)) return this.#filter();
    const parts: Step[] = [];
    for (;;) {
      parts.push(this.#selector());
      this.#space();
      const char = this.#text[this.#at++];
      if (char === "]") return parts.length === 1 && parts[0] !== undefined ? parts[0] : union(parts);
      if (char !== ",") throw new PathError("unterminated array");
    }
  }

  #selector(): Step {
    this.#space();
    const char = this.#text[this.#at];
    if (char === "*") {
      this.#at++;
      return everything;
    }
    if (char === "'" || char === '"') return member(this.#quoted(char));
    const [whole = ""] = /^(?:-?\d{0,9}(?::-?\d{0,9}){0,2})/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === "") throw this.#unexpected();
    this.#at += whole.length;
    const [from = "", to, step = "1"] = whole.split(":");
    const number = (text: string | undefined) => (text === undefined || text === "" ? undefined : Number(text));
    if (to === undefined) return at(Number(from));
    const width = Number(step || "1");
    if (width < 1) throw new PathError("step must be > 0");
    return slice(number(from), number(to), width);
  }

  #filter(): Step {
    this.#at += 2;
    const left = this.#operand();
    this.#space();
    const operator = ["==", "!=", "<=", ">=", "<", ">"].find((one) => this.#text.startsWith(one, this.#at));
    let right: Operand | undefined;
    if (operator !== undefined) {
      this.#at += operator.length;
      right = this.#operand();
      this.#space();
    }
    if (!this.#text.startsWith(")]", this.#at)) throw new PathError("unterminated filter");
    this.#at += 2;
    return filter(left, operator, right);
  }

  #operand(): Operand {
    this.#space();
    const char = this.#text[this.#at];
    if (char === "@") {
      this.#at++;
      return { steps: this.#path(true) };
    }
    if (char === "'" || char === '"') return { literal: this.#quoted(char) };
    const [word = ""] = /^(?:true|false|-?\d{1,15}(?:\.\d{1,15})?)/.exec(this.#text.slice(this.#at)) ?? [];
    if (word === "") throw this.#unexpected();
    this.#at += word.length;
    return { literal: word === "true" ? true : word === "false" ? false : Number(word) };
  }

  #quoted(quote: string): string {
    let text = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] as string;
      if (char === quote) {
        this.#at++;
        return text;
      }
      if (char === "\\") this.#at++;
      text += this.#text[this.#at] ?? "";
    }
    throw new PathError("unterminated quoted string");
  }

  #space(): void {
    while (this.#text[this.#at] === " ") this.#at++;
  }

  #unexpected(): PathError {
    const char = this.#text[this.#at];
    return new PathError(
      char === undefined ? "unexpected end" : `unrecognized character in action: ${JSON.stringify(char)}`,
    );
  }
}
