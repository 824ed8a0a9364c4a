import type { InterruptibleSteps } from "@orchernetes/kernel";
import { type Checked, qualifiedName, qualifiedVariable, typeValues } from "../checking/check.ts";
import type { Environment } from "../environment/environment.ts";
import type { Call, Expression, Fold, Select } from "../language/expression.ts";
import { dynType, isDynamic, type Type } from "../language/types.ts";
import { mapValue } from "../values/maps.ts";
import {
  Failure,
  InterruptedError,
  isList,
  isMap,
  itemsOf,
  listValue,
  type Outcome,
  type Value,
} from "../values/value.ts";
import { callCost, costs, resultCost, slownessOf } from "./call-cost.ts";
import type { Compiler, Frame, Step } from "./compiler.ts";
import { longCalls, workInSteps } from "./long-call.ts";
import { index, select } from "./operators.ts";

/** A step that may pause. Each `yield` returns whether to stop, because the result is no longer needed. */
type LongStep = (frame: Frame) => InterruptibleSteps<Outcome>;

/** A part of an expression; `long` is undefined if it is evaluated at once. */
export type Part =
  | { readonly quick: Step; readonly long: undefined }
  | { readonly quick: undefined; readonly long: LongStep };

/** The whole of an expression as a part. */
export const partOf = (compiler: StepCompiler, expression: Expression): Part => compiler.compile(expression, []);

/**
 * Compiles expressions into generators that pause.
 *
 * The server is one thread: an expression of a user that runs for a second without a pause would delay every other request and the
 * renewal of leases by that second. What contains no loop, and no call that may read much, is compiled into functions as by
 * {@link Compiler}: they are several times as fast, and take no longer than a step may.
 *
 * Results and costs must be those of {@link Compiler}: the same expression may run in either form.
 */
export class StepCompiler {
  readonly #environment: Environment;
  readonly #types: Checked["types"];
  readonly #compiler: Compiler;
  /** Whether a dynamic type may stand for an object whose fields are computed. */
  readonly #isComputedDynamic: boolean;

  constructor({ environment, types }: Pick<Checked, "environment" | "types">, compiler: Compiler) {
    this.#environment = environment;
    this.#types = types;
    this.#compiler = compiler;
    this.#isComputedDynamic = environment.computed !== undefined && this.#usesWholeObjects();
  }

  compile(expression: Expression, scope: readonly string[]): Part {
    const long = this.#long(expression, scope);
    return long === undefined
      ? { quick: this.#compiler.compile(expression, scope), long: undefined }
      : { quick: undefined, long };
  }

  #long(expression: Expression, scope: readonly string[]): LongStep | undefined {
    switch (expression.kind) {
      case "constant":
      case "identifier":
      case "message":
        return undefined;
      case "select":
        return this.#select(expression, scope);
      case "call":
        return this.#call(expression, scope);
      case "list": {
        const items = this.#parts(expression.items, scope);
        return isAnyLong(items) ? list(items) : undefined;
      }
      case "map": {
        const keys = this.#parts(
          expression.entries.map(([key]) => key),
          scope,
        );
        const values = this.#parts(
          expression.entries.map(([, value]) => value),
          scope,
        );
        return isAnyLong([...keys, ...values]) ? map(keys, values) : undefined;
      }
      case "fold":
        return this.#fold(expression, scope);
    }
  }

  #parts(expressions: readonly Expression[], scope: readonly string[]): readonly Part[] {
    return expressions.map((expression) => this.compile(expression, scope));
  }

  #select(expression: Select, scope: readonly string[]): LongStep | undefined {
    const qualified = qualifiedName(expression);
    if (qualified !== undefined && typeValues.has(qualified)) return undefined;
    if (qualifiedVariable(expression, this.#environment, (name) => scope.includes(name)) !== undefined)
      return undefined;
    const operand = this.compile(expression.operand, scope);
    if (operand.long === undefined && !this.#isComputed(expression.operand)) return undefined;
    const { field, test } = expression;
    return function* (frame) {
      const value = operand.long === undefined ? operand.quick(frame) : yield* operand.long(frame);
      if (value instanceof Failure) return value;
      yield* computed(value, field);
      if (test) return isMap(value) ? value.get(field) !== undefined : new Failure("no such overload");
      frame.meter.charge(costs.select);
      return select(value, field);
    };
  }

  #call(call: Call, scope: readonly string[]): LongStep | undefined {
    const operands = [...(call.target === undefined ? [] : [call.target]), ...call.args];
    const parts = this.#parts(operands, scope);
    const isComputed = call.name === "_[_]" && operands[0] !== undefined && this.#isComputed(operands[0]);
    if (!isAnyLong(parts) && !isComputed && !this.#mayReadMuch(call.name, operands)) return undefined;
    const [first = nothing, second = nothing, third = nothing] = parts;
    switch (call.name) {
      case "_&&_":
        return logical(first, second, false);
      case "_||_":
        return logical(first, second, true);
      case "_?_:_":
        return conditional(first, second, third);
      case "@not_strictly_false":
        return function* (frame) {
          frame.meter.charge(1);
          return (first.long === undefined ? first.quick(frame) : yield* first.long(frame)) !== false;
        };
      case "_[_]":
        return indexed(first, second);
      default:
        return called(call.name, parts, this.#compiler.implementation(call));
    }
  }

  /** Whether the fields of an operand may be computed when they are read. */
  #isComputed(operand: Expression): boolean {
    const type = this.#types.get(operand);
    if (type === undefined || this.#environment.computed === undefined) return false;
    return this.#hasType(type) || (this.#isComputedDynamic && isDynamic(type));
  }

  #hasType(type: Type): boolean {
    return type.kind === "object" && this.#environment.computed?.has(type.name) === true;
  }

  /** Whether objects whose fields are computed are used otherwise than by selecting a field: then they may be behind any dynamic type. */
  #usesWholeObjects(): boolean {
    let objects = 0;
    let selected = 0;
    for (const [expression, type] of this.#types) {
      if (this.#hasType(type)) objects++;
      if (expression.kind === "select" && this.#hasType(this.#types.get(expression.operand) ?? dynType)) selected++;
    }
    return objects > selected;
  }

  /** Whether a call may read much of what lies in its operands, by their types. */
  #mayReadMuch(name: string, operands: readonly Expression[]): boolean {
    if (!longCalls.has(name)) return false;
    if (name === "findAll") return true;
    // A short list is there in the expression; if all are lists or maps, as much as they hold is compared.
    if (name === "@in" && operands[1]?.kind === "list") return this.#mayHoldMuch(operands[0]);
    return name === "_==_" || name === "_!=_"
      ? operands.every((operand) => this.#mayHoldMuch(operand))
      : operands.some((operand) => this.#mayHoldMuch(operand));
  }

  /** Whether values of an operand's type may contain others. */
  #mayHoldMuch(operand: Expression | undefined): boolean {
    const type = operand && this.#types.get(operand);
    return type === undefined || isDynamic(type) || ["list", "map", "object"].includes(type.kind);
  }

  #fold(fold: Fold, scope: readonly string[]): LongStep {
    const range = this.compile(fold.range, scope);
    const initial = this.compile(fold.initial, scope);
    const accumulator = scope.length;
    const inner = [...scope, fold.accumulator, fold.variable];
    const condition = this.compile(fold.condition, inner);
    const step = this.compile(fold.step, inner);
    const result = this.compile(fold.result, [...scope, fold.accumulator]);
    return function* (frame) {
      const over = range.long === undefined ? range.quick(frame) : yield* range.long(frame);
      if (over instanceof Failure) return over;
      const { locals, meter } = frame;
      locals[accumulator] = initial.long === undefined ? initial.quick(frame) : yield* initial.long(frame);
      const items = isList(over) ? itemsOf(over) : isMap(over) ? over.keys() : undefined;
      if (items === undefined) return new Failure("no such overload");
      for (const item of items) {
        if (item instanceof Failure) return item;
        // Only loops and long calls can run long, and both pause: the steps between need not ask.
        if (meter.isPauseDue() && (yield)) throw new InterruptedError();
        locals[accumulator + 1] = item;
        const goesOn = condition.long === undefined ? condition.quick(frame) : yield* condition.long(frame);
        if (goesOn !== true) break;
        locals[accumulator] = step.long === undefined ? step.quick(frame) : yield* step.long(frame);
      }
      return result.long === undefined ? result.quick(frame) : yield* result.long(frame);
    };
  }
}

const nothing: Part = { quick: () => new Failure("no such overload"), long: undefined };

const isAnyLong = (parts: readonly Part[]): boolean => parts.some(({ long }) => long !== undefined);

function logical(left: Part, right: Part, decisive: boolean): LongStep {
  return function* (frame) {
    const a = left.long === undefined ? left.quick(frame) : yield* left.long(frame);
    if (a === decisive) return decisive;
    const b = right.long === undefined ? right.quick(frame) : yield* right.long(frame);
    if (b === decisive) return decisive;
    if (a instanceof Failure) return a;
    if (b instanceof Failure) return b;
    return typeof a === "boolean" && typeof b === "boolean" ? !decisive : new Failure("no such overload");
  };
}

function conditional(condition: Part, then: Part, otherwise: Part): LongStep {
  return function* (frame) {
    const chosen = condition.long === undefined ? condition.quick(frame) : yield* condition.long(frame);
    if (chosen instanceof Failure) return chosen;
    if (typeof chosen !== "boolean") return new Failure("no such overload");
    const branch = chosen ? then : otherwise;
    return branch.long === undefined ? branch.quick(frame) : yield* branch.long(frame);
  };
}

function indexed(operand: Part, key: Part): LongStep {
  return function* (frame) {
    const value = operand.long === undefined ? operand.quick(frame) : yield* operand.long(frame);
    if (value instanceof Failure) return value;
    const position = key.long === undefined ? key.quick(frame) : yield* key.long(frame);
    if (position instanceof Failure) return position;
    if (typeof position === "string") yield* computed(value, position);
    frame.meter.charge(costs.select);
    return index(value, position);
  };
}

function list(items: readonly Part[]): LongStep {
  return function* (frame) {
    const values = yield* all(items, frame);
    frame.meter.charge(costs.list);
    return values instanceof Failure ? values : listValue(values);
  };
}

function map(keys: readonly Part[], values: readonly Part[]): LongStep {
  return function* (frame) {
    const names = yield* all(keys, frame);
    if (names instanceof Failure) return names;
    const contents = yield* all(values, frame);
    frame.meter.charge(costs.map);
    return contents instanceof Failure
      ? contents
      : mapValue(names.map((name, i) => [name, contents[i] ?? null] as const));
  };
}

function called(name: string, parts: readonly Part[], run: (...args: readonly Value[]) => Outcome): LongStep {
  const makeWork = longCalls.get(name);
  return function* (frame) {
    const args = yield* all(parts, frame);
    if (args instanceof Failure) return args;
    const cost = callCost(name, args);
    frame.meter.charge(cost);
    const slowness = slownessOf(name, args);
    if (slowness > 0) frame.meter.noteSlow(slowness);
    const work = makeWork?.(...args);
    const result = work === undefined ? run(...args) : yield* workInSteps(work, cost, frame.meter);
    if (!(result instanceof Failure)) frame.meter.charge(resultCost(name, result));
    return result;
  };
}

/** Computes a field that is not known yet, if the value is an object of such fields. */
function* computed(value: Value, field: string): InterruptibleSteps<void> {
  if (isMap(value) && value.compute !== undefined) yield* value.compute(field);
}

/** The values of some parts, or the first failure among them. */
function* all(parts: readonly Part[], frame: Frame): InterruptibleSteps<Value[] | Failure> {
  const values: Value[] = [];
  for (const part of parts) {
    const value = part.long === undefined ? part.quick(frame) : yield* part.long(frame);
    if (value instanceof Failure) return value;
    values.push(value);
  }
  return values;
}
