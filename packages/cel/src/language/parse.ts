import { messageOf } from "@orchernetes/kernel";
import { library } from "../values/library.ts";
import type { Scalar } from "../values/value.ts";
import type { Expression } from "./expression.ts";
import { checkLiterals } from "./literals.ts";
import { SourceError } from "./source.ts";
import { boolType, bytesType, doubleType, intType, nullType, stringType, type Type, uintType } from "./types.ts";

type Parsed = ReturnType<ReturnType<typeof library>["library"]["parse"]>;
type Syntax = NonNullable<Parsed["expr"]>;
type Constant = Extract<Syntax["exprKind"], { case: "constExpr" }>["value"];

/** As cel-go's parser does: longer or deeper expressions are refused before anything recurses over them. */
const maxLength = 100_000;
const maxDepth = 250;

/**
 * Parses an expression and expands its macros.
 *
 * @throws SourceError if it is not an expression
 */
export function parse(source: string): Expression {
  if (source.length > maxLength)
    throw new SourceError(
      source.slice(0, 80),
      0,
      `expression code point size exceeds limit: size: ${source.length}, limit ${maxLength}`,
    );
  if (nesting(source) > maxDepth) throw new SourceError(source, 0, `expression recursion limit exceeded: ${maxDepth}`);
  checkLiterals(source);
  let parsed: Parsed;
  try {
    // To the library a comment ends with its line only.
    parsed = library().library.parse(source.includes("//") ? `${source}\n` : source);
  } catch (error) {
    if (error instanceof RangeError)
      throw new SourceError(source, 0, `expression recursion limit exceeded: ${maxDepth}`);
    const text = messageOf(error);
    const [, line, column, found] = /^<input>:(\d+):(\d+): ([\s\S]*)$/.exec(text) ?? [];
    const offset = line === undefined || column === undefined ? 0 : offsetOf(source, Number(line), Number(column));
    throw new SourceError(source, offset, `Syntax error: ${found ?? text}`);
  }
  const positions = parsed.sourceInfo?.positions ?? {};
  const { expr } = parsed;
  if (expr === undefined) throw new SourceError(source, 0, "Syntax error: mismatched input '<EOF>'");
  return convert(expr, positions, source, 0);
}

/**
 * How deep brackets nest. Brackets within texts count too: the result may be too large but never too small, as a check before the
 * recursive parser needs it.
 */
function nesting(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of source) {
    if (character === "(" || character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === ")" || character === "]" || character === "}") depth--;
  }
  return deepest;
}

/** The position of a line and column, both from 1, in UTF-16 units. */
function offsetOf(source: string, line: number, column: number): number {
  const before = source.split("\n").slice(0, line - 1);
  return before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
}

/** Converts the library's syntax tree to this package's smaller one; positions stay for messages. */
function convert(
  syntax: Syntax,
  positions: Readonly<Record<string, number>>,
  source: string,
  depth: number,
): Expression {
  const offset = positions[String(syntax.id)] ?? 0;
  if (depth > 4 * maxDepth) throw new SourceError(source, offset, `expression recursion limit exceeded: ${maxDepth}`);
  const part = (one: Syntax | undefined): Expression => {
    if (one === undefined) throw new SourceError(source, offset, "Syntax error: an operand is missing");
    return convert(one, positions, source, depth + 1);
  };
  const { exprKind } = syntax;
  switch (exprKind.case) {
    case "constExpr":
      checkRange(exprKind.value, source, offset);
      return { kind: "constant", offset, ...constantOf(exprKind.value) };
    case "identExpr":
      return { kind: "identifier", offset, name: exprKind.value.name };
    case "selectExpr": {
      const { operand, field, testOnly } = exprKind.value;
      return { kind: "select", offset, operand: part(operand), field, test: testOnly };
    }
    case "callExpr": {
      const { function: name, target, args } = exprKind.value;
      const receiver = target === undefined ? undefined : part(target);
      return { kind: "call", offset: bracketAfter(source, offset, name), name, target: receiver, args: args.map(part) };
    }
    case "listExpr":
      return { kind: "list", offset, items: exprKind.value.elements.map(part) };
    case "structExpr": {
      const { messageName, entries } = exprKind.value;
      if (messageName !== "") return { kind: "message", offset: source.indexOf("{", offset), name: messageName };
      const pairs = entries.map(({ keyKind, value }) => {
        if (keyKind.case !== "mapKey") throw new SourceError(source, offset, "Syntax error: a key is missing");
        return [part(keyKind.value), part(value)] as const;
      });
      return { kind: "map", offset, entries: pairs };
    }
    case "comprehensionExpr": {
      const { iterVar, accuVar, iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      return {
        kind: "fold",
        offset,
        variable: iterVar,
        accumulator: accuVar,
        range: part(iterRange),
        initial: part(accuInit),
        condition: part(loopCondition),
        step: part(loopStep),
        result: part(result),
      };
    }
    default:
      throw new SourceError(source, offset, "Syntax error: the expression is empty");
  }
}

/** cel-go places a call at its opening bracket, and operators at themselves. */
function bracketAfter(source: string, offset: number, name: string): number {
  if (/^\w/.test(name) && !name.startsWith("_")) {
    const bracket = source.indexOf("(", offset);
    return bracket < 0 ? offset : bracket;
  }
  // The library places binary operators at the blanks before them.
  let start = offset;
  while (/\s/.test(source.charAt(start))) start++;
  return start;
}

/** @throws SourceError for an integer that is none of 64 bits */
function checkRange({ constantKind }: Constant, source: string, offset: number): void {
  if (constantKind.case === "int64Value" && BigInt.asIntN(64, constantKind.value) !== constantKind.value)
    throw new SourceError(source, offset, "invalid int literal");
  if (constantKind.case === "uint64Value" && BigInt.asUintN(64, constantKind.value) !== constantKind.value)
    throw new SourceError(source, offset, "invalid uint literal");
}

/** A literal with its type. Unsigned integers have a class of their own, since JavaScript has one bigint for both. */
function constantOf({ constantKind }: Constant): { readonly value: Scalar; readonly type: Type } {
  switch (constantKind.case) {
    case "boolValue":
      return { value: constantKind.value, type: boolType };
    case "int64Value":
      return { value: constantKind.value, type: intType };
    case "uint64Value":
      return { value: library().library.celUint(constantKind.value), type: uintType };
    case "doubleValue":
      return { value: constantKind.value, type: doubleType };
    case "stringValue":
      return { value: constantKind.value, type: stringType };
    case "bytesValue":
      return { value: constantKind.value, type: bytesType };
    default:
      return { value: null, type: nullType };
  }
}
