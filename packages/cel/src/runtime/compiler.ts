import { type Checked, qualifiedName, qualifiedVariable, typeValues } from "../checking/check.ts";
import type { Environment, Implementation } from "../environment/environment.ts";
import type { Call, Expression, Fold, Select } from "../language/expression.ts";
import { callLibrary } from "../values/library-call.ts";
import { mapValue } from "../values/maps.ts";
import { Failure, isList, isMap, itemsOf, listValue, type Outcome, type Value } from "../values/value.ts";
import { callCost, costs, resultCost, slownessOf } from "./call-cost.ts";
import { longCalls, workAtOnce } from "./long-call.ts";
import type { Meter } from "./meter.ts";
import { index, operators, select, typeNamed } from "./operators.ts";

/**
 * The state of one evaluation: the values of variables by name, and of loops' variables by their place. Compiled steps hold no state of
 * their own, so that one program may be evaluated for many objects at the same time.
 */
export interface Frame {
  readonly variables: (name: string) => Outcome;
  readonly locals: Outcome[];
  readonly meter: Meter;
}

/** A compiled expression. Closures that call each other run several times as fast as walking the syntax tree for every object. */
export type Step = (frame: Frame) => Outcome;

/**
 * Compiles expressions into functions that evaluate them without pauses.
 *
 * Failures are values and take part in the logic of the language; only the two errors that end an evaluation, for its cost or because it
 * was interrupted, are thrown.
 */
export class Compiler {
  readonly #environment: Environment;

  constructor({ environment }: Pick<Checked, "environment">) {
    this.#environment = environment;
  }

  /** @param scope names of loops' variables; a name's place is where its value is among the locals */
  compile(expression: Expression, scope: readonly string[]): Step {
    switch (expression.kind) {
      case "constant": {
        const { value } = expression;
        return () => value;
      }
      case "identifier":
        return identifier(expression.name, scope);
      case "select":
        return this.#select(expression, scope);
      case "call":
        return this.#call(expression, scope);
      case "list":
        return this.#list(expression.items, scope);
      case "map":
        return this.#map(expression.entries, scope);
      case "message":
        return () => new Failure(`unknown type: ${expression.name}`);
      case "fold":
        return this.#fold(expression, scope);
    }
  }

  #select(expression: Select, scope: readonly string[]): Step {
    // A dotted name may be one name: of a type (`google.protobuf.Duration`) or of a variable (`authorizer.requestResource`).
    const qualified = qualifiedName(expression);
    if (qualified !== undefined && typeValues.has(qualified)) return () => typeNamed(qualified);
    const variable = qualifiedVariable(expression, this.#environment, (name) => scope.includes(name));
    if (variable !== undefined) {
      return (frame) => {
        frame.meter.charge(costs.select);
        return frame.variables(variable);
      };
    }
    const { field, test } = expression;
    const operand = this.compile(expression.operand, scope);
    return (frame) => {
      const value = operand(frame);
      if (value instanceof Failure) return value;
      // `has(x.f)` is false for an absent field, where `x.f` fails. It costs nothing beyond its operand.
      if (test) return isMap(value) ? value.get(field) !== undefined : new Failure("no such overload");
      frame.meter.charge(costs.select);
      return select(value, field);
    };
  }

  #call(call: Call, scope: readonly string[]): Step {
    const parts = [...(call.target === undefined ? [] : [call.target]), ...call.args];
    const steps = parts.map((part) => this.compile(part, scope));
    const [first = nothing, second = nothing, third = nothing] = steps;
    switch (call.name) {
      case "_&&_":
        return logical(first, second, false);
      case "_||_":
        return logical(first, second, true);
      case "_?_:_":
        return conditional(first, second, third);
      // The macro `all` stops at the first false item, but goes on after a failure: a later false item decides.
      case "@not_strictly_false":
        return (frame) => {
          frame.meter.charge(1);
          return first(frame) !== false;
        };
      case "_[_]":
        return indexed(first, second);
      default:
        return called(call.name, steps, this.implementation(call));
    }
  }

  /** What a call does with values that are no failures. */
  implementation({ name, target }: Call): Implementation {
    const own = operators.get(name) ?? this.#environment.functions.get(name);
    if (own !== undefined) return own;
    // What is neither an operator nor one of Kubernetes' functions belongs to the standard library of the language.
    if (target === undefined) return (...args) => callLibrary(name, undefined, args);
    return (receiver, ...args) => callLibrary(name, receiver, args);
  }

  #list(items: readonly Expression[], scope: readonly string[]): Step {
    const steps = items.map((item) => this.compile(item, scope));
    return (frame) => {
      const values = all(steps, frame);
      frame.meter.charge(costs.list);
      return values instanceof Failure ? values : listValue(values);
    };
  }

  #map(entries: readonly (readonly [Expression, Expression])[], scope: readonly string[]): Step {
    const keys = entries.map(([key]) => this.compile(key, scope));
    const values = entries.map(([, value]) => this.compile(value, scope));
    return (frame) => {
      const names = all(keys, frame);
      if (names instanceof Failure) return names;
      const contents = all(values, frame);
      frame.meter.charge(costs.map);
      return contents instanceof Failure
        ? contents
        : mapValue(names.map((name, i) => [name, contents[i] ?? null] as const));
    };
  }

  /**
   * Every macro (`all`, `exists`, `exists_one`, `map`, `filter`) is expanded into one loop with an accumulator. Loops cannot be written
   * otherwise and always run over a list or map that exists, so each evaluation ends: the language is not Turing-complete.
   */
  #fold(fold: Fold, scope: readonly string[]): Step {
    const range = this.compile(fold.range, scope);
    const initial = this.compile(fold.initial, scope);
    const accumulator = scope.length;
    const inner = [...scope, fold.accumulator, fold.variable];
    const condition = this.compile(fold.condition, inner);
    const step = this.compile(fold.step, inner);
    const result = this.compile(fold.result, [...scope, fold.accumulator]);
    return (frame) => {
      const over = range(frame);
      if (over instanceof Failure) return over;
      const { locals } = frame;
      locals[accumulator] = initial(frame);
      const items = isList(over) ? itemsOf(over) : isMap(over) ? over.keys() : undefined;
      if (items === undefined) return new Failure("no such overload");
      for (const item of items) {
        if (item instanceof Failure) return item;
        locals[accumulator + 1] = item;
        if (condition(frame) !== true) break;
        locals[accumulator] = step(frame);
      }
      return result(frame);
    };
  }
}

/** Stands for an operand that the parser never leaves out. */
const nothing: Step = () => new Failure("no such overload");

function identifier(name: string, scope: readonly string[]): Step {
  // The innermost loop's variable hides those of outer loops. A leading dot names the variable of the environment in any case.
  const place = scope.lastIndexOf(name);
  const plain = name.startsWith(".") ? name.slice(1) : name;
  if (place < 0 && typeValues.has(plain)) return () => typeNamed(plain);
  return (frame) => {
    frame.meter.charge(costs.select);
    return place < 0 ? frame.variables(plain) : (frame.locals[place] ?? null);
  };
}

/**
 * `&&` and `||`, which are commutative even for failures: `x.a == 1 || true` is true although `x.a` does not exist. A failure is the result
 * only if neither operand decides.
 *
 * @param decisive the value of one operand that decides, whatever the other one is, failures included
 */
function logical(left: Step, right: Step, decisive: boolean): Step {
  return (frame) => {
    const a = left(frame);
    if (a === decisive) return decisive;
    const b = right(frame);
    if (b === decisive) return decisive;
    if (a instanceof Failure) return a;
    if (b instanceof Failure) return b;
    return typeof a === "boolean" && typeof b === "boolean" ? !decisive : new Failure("no such overload");
  };
}

/** `c ? a : b` evaluates only the chosen branch. It is charged and may fail; the other one does neither. */
function conditional(condition: Step, then: Step, otherwise: Step): Step {
  return (frame) => {
    const chosen = condition(frame);
    if (chosen instanceof Failure) return chosen;
    if (typeof chosen !== "boolean") return new Failure("no such overload");
    return chosen ? then(frame) : otherwise(frame);
  };
}

/** `a[b]`, for items of lists and entries of maps. */
function indexed(operand: Step, key: Step): Step {
  return (frame) => {
    const value = operand(frame);
    if (value instanceof Failure) return value;
    const position = key(frame);
    if (position instanceof Failure) return position;
    frame.meter.charge(costs.select);
    return index(value, position);
  };
}

/** A call of a function with evaluated arguments: charged by their sizes first, by its work while it runs, by its result last. */
function called(name: string, steps: readonly Step[], run: Implementation): Step {
  const makeWork = longCalls.get(name);
  return (frame) => {
    const args = all(steps, frame);
    if (args instanceof Failure) return args;
    const cost = callCost(name, args);
    frame.meter.charge(cost);
    const slowness = slownessOf(name, args);
    if (slowness > 0) frame.meter.noteSlow(slowness);
    const work = makeWork?.(...args);
    const result = work === undefined ? run(...args) : workAtOnce(work, cost, frame.meter);
    if (!(result instanceof Failure)) frame.meter.charge(resultCost(name, result));
    return result;
  };
}

/** The values of some steps, or the first failure among them. */
function all(steps: readonly Step[], frame: Frame): Value[] | Failure {
  const values: Value[] = [];
  for (const step of steps) {
    const value = step(frame);
    if (value instanceof Failure) return value;
    values.push(value);
  }
  return values;
}
