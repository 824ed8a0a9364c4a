import type { Environment } from "../environment/environment.ts";
import type { Overload } from "../environment/overload.ts";
import type { Call, Expression, Fold, Select } from "../language/expression.ts";
import { SourceError } from "../language/source.ts";
import {
  boolType,
  dynType,
  freeType,
  isDynamic,
  listOf,
  mapOf,
  type Type,
  typeName,
  typeType,
} from "../language/types.ts";
import { assign, type Bindings, join, substitute } from "./unify.ts";

/**
 * An expression whose types are known.
 *
 * Checking is gradual (CEL specification, Gradual Type Checking): a part of type dyn fits everywhere, and is checked when it runs. Types
 * are declared for rules of custom resources, by their schema; policies are evaluated with a dynamic `object`, since one may match many kinds.
 */
export interface Checked {
  readonly source: string;
  readonly expression: Expression;
  readonly environment: Environment;
  readonly type: Type;
  readonly types: ReadonlyMap<Expression, Type>;
  /** The overloads that a call may mean: one, or several if operands are dynamic. */
  readonly overloads: ReadonlyMap<Expression, readonly Overload[]>;
  /** The variables of the environment that the expression reads. */
  readonly references: ReadonlySet<string>;
}

/** The types of the language as values. */
export const typeValues: ReadonlySet<string> = new Set([
  "bool",
  "int",
  "uint",
  "double",
  "string",
  "bytes",
  "list",
  "map",
  "null_type",
  "type",
  "google.protobuf.Timestamp",
  "google.protobuf.Duration",
]);

/** A call begins with no parameter bound. */
const none: Bindings = new Map();

/**
 * Finds the types in an expression.
 *
 * @throws SourceError if something is not declared or types do not fit
 */
export function check(source: string, expression: Expression, environment: Environment): Checked {
  const checker = new Checker(source, environment);
  const type = checker.check(expression, new Map());
  return { source, expression, environment, type, ...checker.found };
}

/** The types of loops' variables that are visible at a place. */
type Locals = ReadonlyMap<string, Type>;

class Checker {
  readonly #source: string;
  readonly #environment: Environment;
  readonly #types = new Map<Expression, Type>();
  readonly #overloads = new Map<Expression, readonly Overload[]>();
  readonly #references = new Set<string>();

  constructor(source: string, environment: Environment) {
    this.#source = source;
    this.#environment = environment;
  }

  get found(): Pick<Checked, "types" | "overloads" | "references"> {
    return { types: this.#types, overloads: this.#overloads, references: this.#references };
  }

  check(expression: Expression, locals: Locals): Type {
    const type = this.#typeOf(expression, locals);
    this.#types.set(expression, type);
    return type;
  }

  #fail(offset: number, detail: string): never {
    throw new SourceError(this.#source, offset, detail);
  }

  #typeOf(expression: Expression, locals: Locals): Type {
    switch (expression.kind) {
      case "constant":
        return expression.type;
      case "identifier":
        return this.#identifier(expression.name, expression.offset, locals);
      case "select":
        return this.#select(expression, locals);
      case "call":
        return this.#call(expression, locals);
      case "list":
        return listOf(this.#joined(expression.items, locals));
      case "map": {
        const key = this.#joined(
          expression.entries.map(([one]) => one),
          locals,
        );
        const value = this.#joined(
          expression.entries.map(([, one]) => one),
          locals,
        );
        return mapOf(key, value);
      }
      case "message":
        return this.#fail(expression.offset, `undeclared reference to '${expression.name}' (in container '')`);
      case "fold":
        return this.#fold(expression, locals);
    }
  }

  #identifier(name: string, offset: number, locals: Locals): Type {
    const plain = name.startsWith(".") ? name.slice(1) : name;
    const local = locals.get(name);
    if (local !== undefined) return local;
    const variable = this.#environment.variables.get(plain);
    if (variable !== undefined) {
      this.#references.add(plain);
      return variable;
    }
    if (typeValues.has(plain)) return typeType;
    return this.#fail(offset, `undeclared reference to '${plain}' (in container '')`);
  }

  #select(select: Select, locals: Locals): Type {
    const { operand, field, offset, test } = select;
    const qualified = qualifiedName(select);
    if (!test && qualified !== undefined && typeValues.has(qualified)) return typeType;
    const variable = qualifiedVariable(select, this.#environment, (name) => locals.has(name));
    if (variable !== undefined) return this.#identifier(variable, offset, locals);
    const type = this.check(operand, locals);
    const found = this.#field(type, field, offset);
    return test ? boolType : found;
  }

  #field(type: Type, field: string, offset: number): Type {
    if (isDynamic(type)) return dynType;
    if (type.kind === "map") return type.value;
    if (type.kind !== "object") return this.#fail(offset, `type '${typeName(type)}' does not support field selection`);
    return type.fields.get(field) ?? this.#fail(offset, `undefined field '${field}'`);
  }

  /** The type of what lies in a literal: it is of one type. `[1, 'a']` is an error, `[dyn(1), 'a']` is a list of dyn. */
  #joined(items: readonly Expression[], locals: Locals): Type {
    let joined: Type = freeType;
    for (const item of items) {
      const type = this.check(item, locals);
      const next = join(joined, type);
      if (next === undefined)
        this.#fail(item.offset, `expected type '${typeName(joined)}' but found '${typeName(type)}'`);
      joined = next;
    }
    return joined;
  }

  #call(call: Call, locals: Locals): Type {
    const { name, target, offset } = call;
    const candidates = this.#environment.overloads.get(name);
    if (candidates === undefined) this.#fail(offset, `undeclared reference to '${name}' (in container '')`);
    const receiver = target === undefined ? undefined : this.check(target, locals);
    const args = call.args.map((arg) => this.check(arg, locals));
    const fitting: Overload[] = [];
    let result: Type | undefined;
    // All overloads are tried: with dynamic operands several fit. If their results differ, the type of the call is dynamic as well.
    for (const overload of candidates) {
      const bindings = fits(overload, receiver, args);
      if (bindings === undefined) continue;
      fitting.push(overload);
      const type = substitute(overload.result, bindings);
      result = result === undefined ? type : (same(result, type) ?? dynType);
    }
    if (result === undefined) {
      const types = `(${args.map(typeName).join(", ")})`;
      const applied = receiver === undefined ? types : `${typeName(receiver)}.${types}`;
      this.#fail(offset, `found no matching overload for '${name}' applied to '${applied}'`);
    }
    this.#overloads.set(call, fitting);
    return result;
  }

  #fold(fold: Fold, locals: Locals): Type {
    const range = this.check(fold.range, locals);
    const initial = this.check(fold.initial, locals);
    const item = itemOf(range);
    if (item === undefined) {
      const detail = `expression of type '${typeName(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.#fail(fold.range.offset, detail);
    }
    const inner = new Map(locals).set(fold.accumulator, initial).set(fold.variable, item);
    const condition = this.check(fold.condition, inner);
    if (join(condition, boolType) === undefined)
      this.#fail(fold.condition.offset, `expected type 'bool' but found '${typeName(condition)}'`);
    const step = this.check(fold.step, inner);
    // An accumulator that begins as an empty list gets the type of its items from the first step that adds one.
    const accumulated = join(initial, step);
    if (accumulated === undefined)
      this.#fail(fold.step.offset, `expected type '${typeName(initial)}' but found '${typeName(step)}'`);
    return this.check(fold.result, new Map(locals).set(fold.accumulator, accumulated));
  }
}

/** The type that two results have in common; undefined if they have none, or one is known only at run time. */
const same = (a: Type, b: Type): Type | undefined => (isDynamic(a) || isDynamic(b) ? undefined : join(a, b));

/** The bindings with which a call fits an overload; undefined if it does not. */
function fits(overload: Overload, receiver: Type | undefined, args: readonly Type[]): Bindings | undefined {
  if (overload.args.length !== args.length) return undefined;
  if ((overload.target === undefined) !== (receiver === undefined)) return undefined;
  let bindings: Bindings | undefined = none;
  if (overload.target !== undefined && receiver !== undefined) bindings = assign(overload.target, receiver, bindings);
  for (const [i, declared] of overload.args.entries()) {
    if (bindings === undefined) return undefined;
    bindings = assign(declared, args[i] ?? dynType, bindings);
  }
  return bindings;
}

/** The type of a loop's variable: an item of a list, or a key of a map; undefined if there can be no loop over the type. */
function itemOf(range: Type): Type | undefined {
  if (isDynamic(range)) return dynType;
  if (range.kind === "list") return range.element.kind === "free" ? dynType : range.element;
  return range.kind === "map" ? (range.key.kind === "free" ? dynType : range.key) : undefined;
}

/** A chain of selections as one name; undefined if it starts with anything but a name. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.name;
  if (expression.kind !== "select" || expression.test) return undefined;
  const operand = qualifiedName(expression.operand);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}

/**
 * The variable of an environment that a chain of selections names as a whole, for example `authorizer.requestResource`.
 *
 * @param isLocal whether a name is that of a loop's variable, which hides such a variable
 */
export function qualifiedVariable(
  select: Select,
  { variables }: Pick<Environment, "variables">,
  isLocal: (name: string) => boolean,
): string | undefined {
  const qualified = qualifiedName(select);
  if (qualified === undefined) return undefined;
  const name = qualified.startsWith(".") ? qualified.slice(1) : qualified;
  const [root = ""] = qualified.split(".", 1);
  return variables.has(name) && !isLocal(root) ? name : undefined;
}
