import type { Call, Expression } from "../language/expression.ts";
import { callLibrary } from "../values/library-call.ts";
import { patternError } from "../values/patterns.ts";
import { Failure, type Scalar } from "../values/value.ts";
import { operators } from "./operators.ts";

const conversionNames: ReadonlySet<string> = new Set([
  ...["bool", "bytes", "double", "duration", "int", "string", "timestamp", "uint"],
]);
const patternNames: ReadonlySet<string> = new Set(["find", "findAll", "matches"]);

/**
 * Why an expression fails whatever its variables are; undefined if it need not. The original finds it when it prepares an expression:
 * conversions of constants, and constants that are no regular expressions.
 */
export function constantFailure(expression: Expression): string | undefined {
  if (expression.kind === "call") {
    const own = failureOf(expression);
    if (own !== undefined) return own;
  }
  for (const part of partsOf(expression)) {
    const inside = constantFailure(part);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function failureOf({ name, target, args }: Call): string | undefined {
  const [first, second] = args;
  if (patternNames.has(name)) {
    const pattern = constantOf(target === undefined ? second : first);
    return typeof pattern === "string" ? patternError(pattern) : undefined;
  }
  const value = constantOf(first);
  if (value === undefined || args.length !== 1 || target !== undefined || !conversionNames.has(name)) return undefined;
  const result = operators.get(name)?.(value) ?? callLibrary(name, undefined, [value]);
  return result instanceof Failure ? result.message : undefined;
}

const constantOf = (expression: Expression | undefined): Scalar | undefined =>
  expression?.kind === "constant" ? expression.value : undefined;

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "select":
      return [expression.operand];
    case "call":
      return [...(expression.target === undefined ? [] : [expression.target]), ...expression.args];
    case "list":
      return expression.items;
    case "map":
      return expression.entries.flat();
    case "fold":
      return [expression.range, expression.initial, expression.condition, expression.step, expression.result];
    default:
      return [];
  }
}
