import type { Checked } from "../checking/check.ts";
import type { Overload } from "../environment/overload.ts";
import type { Call, Expression, Fold } from "../language/expression.ts";
import { costs } from "../runtime/call-cost.ts";
import type { Declaration } from "../schema/declaration.ts";
import { sizeOf } from "../values/value.ts";
import { callEstimate, type Operand } from "./call-estimate.ts";
import { either, fixed, one, plus, type Range, times, unknown, zero } from "./range.ts";

/** What variables may hold; what is not declared may be of any size. */
export type Declarations = ReadonlyMap<string, Declaration>;

/**
 * What a checked expression costs at least and at most, in Kubernetes' units (`checker/cost.go` of cel-go).
 *
 * The estimate multiplies: the body of a loop costs as often as its list can have items, and the length of that list is what the schema
 * allows (`maxItems`), or else as many items as fit in a request. That is why Kubernetes advises to set `maxItems`, `maxProperties` and
 * `maxLength`: two nested loops over unlimited lists are far above the limit.
 *
 * It may exceed the real cost by much, but it must be Kubernetes' number: a definition is accepted or rejected because of it.
 */
export function estimate(checked: Checked, declarations: Declarations): Range {
  return new Estimator(checked, declarations).cost(checked.expression, new Map());
}

/** What is known of the variables of loops. */
type Locals = ReadonlyMap<string, Known>;

/** What is known of a part of the expression. A size is an exact range; without one, the declaration has the limit of its schema. */
interface Known {
  readonly declaration: Declaration | undefined;
  readonly size: Range | undefined;
}

/** Types whose values have size 1 where no schema declares them; other values of unknown size may be of any. */
const scalars: ReadonlySet<string> = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

/**
 * Visits an expression from its leaves to its root. What is learned of a part (`#known`) is used by the call or loop around it: the cost of
 * `self.names.exists(...)` depends on the declared length of `self.names`.
 */
class Estimator {
  readonly #checked: Checked;
  readonly #declarations: Declarations;
  readonly #known = new Map<Expression, Known>();

  constructor(checked: Checked, declarations: Declarations) {
    this.#checked = checked;
    this.#declarations = declarations;
  }

  cost(expression: Expression, locals: Locals): Range {
    switch (expression.kind) {
      case "constant":
        this.#known.set(expression, { declaration: undefined, size: fixed(sizeOf(expression.value)) });
        return zero;
      case "identifier": {
        const local = locals.get(expression.name);
        this.#known.set(expression, local ?? { declaration: this.#declarations.get(expression.name), size: undefined });
        return one;
      }
      case "select": {
        // The chain is the name of one variable, or of a type: its parts have no types.
        if (!this.#checked.types.has(expression.operand)) return one;
        const operand = this.cost(expression.operand, locals);
        const declaration = this.#declared(expression.operand);
        const field = declaration?.fields?.get(expression.field)?.declaration ?? this.#entry(expression, declaration);
        this.#known.set(expression, { declaration: expression.test ? undefined : field, size: undefined });
        // Kubernetes charges nothing where only the presence of a field is tested.
        return expression.test ? zero : plus(operand, fixed(costs.select));
      }
      case "call":
        return this.#call(expression, locals);
      case "list":
        this.#known.set(expression, { declaration: undefined, size: fixed(expression.items.length) });
        return plus(fixed(costs.list), ...expression.items.map((item) => this.cost(item, locals)));
      case "map":
        this.#known.set(expression, { declaration: undefined, size: fixed(expression.entries.length) });
        return plus(fixed(costs.map), ...expression.entries.flat().map((part) => this.cost(part, locals)));
      case "message":
        return zero;
      case "fold":
        return this.#fold(expression, locals);
    }
  }

  /** The value of a map that is read like a field. Kubernetes knows only its type. */
  #entry(expression: Expression, declaration: Declaration | undefined): Declaration | undefined {
    return this.#isScalar(expression) ? undefined : declaration?.element;
  }

  #declared(expression: Expression): Declaration | undefined {
    return this.#known.get(expression)?.declaration;
  }

  /** The size of a value: known, or declared, or of its type. A declared size has the minimum 0, since an optional list may be empty. */
  #size(expression: Expression): Range {
    const known = this.#known.get(expression);
    if (known?.size !== undefined) return known.size;
    if (known?.declaration !== undefined) return { min: 0, max: known.declaration.maxElements };
    return this.#isScalar(expression) ? one : unknown;
  }

  #isScalar(expression: Expression): boolean {
    const type = this.#checked.types.get(expression);
    return type !== undefined && scalars.has(type.kind);
  }

  #operand(expression: Expression): Operand {
    const type = this.#checked.types.get(expression);
    const element = this.#declared(expression)?.element;
    return {
      size: this.#size(expression),
      isList: type?.kind === "list",
      text: type?.kind === "list" && (type.element.kind === "string" || type.element.kind === "bytes"),
      itemSize: element === undefined ? unknown : { min: 0, max: element.maxElements },
    };
  }

  #call(call: Call, locals: Locals): Range {
    const parts = [...(call.target === undefined ? [] : [call.target]), ...call.args];
    const ranges = parts.map((part) => this.cost(part, locals));
    const operands = parts.map((part) => this.#operand(part));
    const [first = zero, second = zero, third = zero] = ranges;
    const [, then, otherwise] = operands;
    switch (call.name) {
      // The second operand may not be evaluated: at least the first one is charged, at most both.
      case "_&&_":
      case "_||_":
        return { min: first.min, max: plus(first, second).max };
      case "_?_:_":
        this.#known.set(call, {
          declaration: undefined,
          size: either(then?.size ?? unknown, otherwise?.size ?? unknown),
        });
        return plus(first, either(second, third));
      case "_[_]": {
        const [container] = parts;
        const declaration = container === undefined ? undefined : this.#declared(container)?.element;
        this.#known.set(call, { declaration, size: undefined });
        break;
      }
      // `dyn` hides the type from the checker only. The value, and so its size, is the same.
      case "dyn": {
        const [inner] = parts;
        const known = inner === undefined ? undefined : this.#known.get(inner);
        if (known !== undefined) this.#known.set(call, known);
        break;
      }
      default:
        break;
    }
    // Operands of dynamic type leave several overloads open. The estimate covers the cheapest and the dearest of them.
    const overloads = this.#checked.overloads.get(call) ?? [];
    const estimates = overloads.map((overload: Overload) => callEstimate(overload, operands));
    const sizes = estimates.flatMap(({ size }) => (size === undefined ? [] : [size]));
    if (sizes.length > 0) this.#known.set(call, { declaration: undefined, size: sizes.reduce(either) });
    const own = estimates.map(({ cost }) => cost);
    return plus(...ranges, own.length === 0 ? zero : own.reduce(either));
  }

  /**
   * A loop costs its condition and its step for each item. An early end, as of `exists` at the first true item, lowers the real cost but not
   * the estimate.
   */
  #fold(fold: Fold, locals: Locals): Range {
    const range = this.cost(fold.range, locals);
    const initial = this.cost(fold.initial, locals);
    const isList = this.#checked.types.get(fold.range)?.kind === "list";
    const declaration = this.#declared(fold.range);
    const item: Known = { declaration: isList ? declaration?.element : declaration?.key, size: undefined };
    const accumulated: Known = { declaration: undefined, size: undefined };
    const inner = new Map(locals).set(fold.accumulator, accumulated).set(fold.variable, item);
    const condition = this.cost(fold.condition, inner);
    const step = this.cost(fold.step, inner);
    const result = this.cost(fold.result, new Map(locals).set(fold.accumulator, accumulated));
    const count = this.#size(fold.range);
    // `map` and `filter` collect into a list that is no longer than theirs; the other macros result in one value.
    const collects = fold.initial.kind === "list";
    this.#known.set(fold, {
      // What a filter keeps are items of the list.
      declaration: collects && this.#keepsItems(fold) ? declaration : undefined,
      size: collects ? { min: 0, max: count.max } : undefined,
    });
    return plus(range, initial, result, times(count, plus(condition, step)));
  }

  /** Whether a loop collects its items as they are. */
  #keepsItems({ step, variable }: Fold): boolean {
    if (step.kind !== "call" || step.name !== "_?_:_") return false;
    const [, added] = step.args;
    if (added?.kind !== "call" || added.name !== "_+_") return false;
    const [, last] = added.args;
    const [item] = last?.kind === "list" ? last.items : [];
    return item?.kind === "identifier" && item.name === variable;
  }
}
