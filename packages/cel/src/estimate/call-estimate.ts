import type { Overload } from "../environment/overload.ts";
import { costs } from "../runtime/call-cost.ts";
import { fixed, one, plus, type Range, scaled, times, unknown, unlimited } from "./range.ts";

/** What is known of an operand before the expression runs; the target of a method is the first one. */
export interface Operand {
  readonly size: Range;
  readonly isList: boolean;
  /** It is a list of texts or bytes: its functions read the items, too. */
  readonly text: boolean;
  readonly itemSize: Range;
}

/** The estimate of one overload of a call. */
export interface CallEstimate {
  readonly cost: Range;
  /** Of the result, where more is known of it than its type says. */
  readonly size?: Range;
}

/** An operand that the call does not have. */
const nothing: Operand = { size: unknown, isList: false, text: false, itemSize: unknown };

/** The cost of reading so many characters. */
const scan = (size: Range, factor = 1): Range => scaled(size, costs.character * factor);

/**
 * What a call costs without its operands.
 *
 * The formulas follow Kubernetes' estimator (`library/cost.go`) call by call, with its deviations from what the same call is charged at
 * run time: the estimate decides whether a definition is valid, so a better one would reject or accept other definitions.
 */
export function callEstimate(overload: Overload, operands: readonly Operand[]): CallEstimate {
  const [first = nothing, second = nothing, third = nothing] = operands;
  switch (overload.name) {
    case "check":
      return { cost: fixed(costs.accessCheck) };
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return { cost: traversal(first) };
    case "url":
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
      return { cost: scan(first.size), size: first.size };
    case "isURL":
      // Kubernetes estimates 1 here. The real cost is charged when it runs.
      return { cost: one };
    case "startsWith":
    case "endsWith":
      return { cost: scan(second.size) };
    case "replace":
      return { cost: scan(first.size, 2), size: replaced(first.size, second.size, third.size) };
    case "split":
      return { cost: scan(first.size, 2), size: { min: 0, max: first.size.max } };
    case "join": {
      // As many texts of their greatest length, and separators between them.
      const separators = { min: Math.max(0, first.size.min - 1), max: Math.max(0, first.size.max - 1) };
      const size = plus(
        times(first.size, first.itemSize),
        operands.length > 1 ? times(second.size, separators) : { min: 0, max: 0 },
      );
      return { cost: scan(size), size };
    }
    case "find":
    case "findAll":
    case "matches":
      return {
        cost: times(scan(plus(first.size, one)), scaled(second.size, costs.patternCharacter)),
        ...found(overload, first),
      };
    case "contains":
      return { cost: times(scan(first.size), scan(second.size)) };
    case "@in":
      return { cost: second.isList ? second.size : one };
    // A character takes one to four bytes in UTF-8.
    case "bytes":
      return overload.args[0]?.kind === "string"
        ? { cost: scan(first.size), size: { min: first.size.min, max: Math.min(unlimited, first.size.max * 4) } }
        : { cost: one };
    case "string":
      return overload.args[0]?.kind === "bytes"
        ? { cost: scan(first.size), size: { min: Math.floor(first.size.min / 4), max: first.size.max } }
        : { cost: one };
    case "_+_":
      return added(overload, first.size, second.size);
    case "_==_":
    case "_!=_":
      return { cost: compared(first.size, second.size) };
    case "_<_":
    case "_<=_":
    case "_>_":
    case "_>=_":
      return { cost: isText(overload) ? compared(first.size, second.size) : one };
    default:
      return { cost: one };
  }
}

/** Whether an overload is about texts or bytes, whose cost depends on their length. */
const isText = ({ args }: Overload): boolean => args[0]?.kind === "string" || args[0]?.kind === "bytes";

/** Reading a list item by item; items that are texts are read to their end. */
function traversal({ size, isList, text, itemSize }: Operand): Range {
  if (!isList) return scan(size);
  return times(size, text ? plus(one, scan(itemSize)) : one);
}

/** A comparison reads no more than the smaller of both; it costs at least 1 unless one of them is always empty. */
function compared(a: Range, b: Range): Range {
  const max = Math.min(a.max, b.max);
  return scan({ min: max > 0 ? 1 : 0, max });
}

/** Adding texts copies both. Adding lists costs 1 whatever their size, but the sum is as long as both together. */
function added(overload: Overload, a: Range, b: Range): CallEstimate {
  if (isText(overload)) return { cost: scan(plus(a, b)), size: plus(a, b) };
  return overload.args[0]?.kind === "list" ? { cost: one, size: plus(a, b) } : { cost: one };
}

/** A match is no longer than the text; `matches` results in a boolean, which has no size. */
const found = ({ name }: Overload, { size }: Operand): { readonly size?: Range } =>
  name === "matches" ? {} : { size: { min: 0, max: size.max } };

/** The most a text can become when its parts are replaced by longer ones. */
function replaced(text: Range, part: Range, by: Range): Range {
  const parts = part.min === 0 ? text.max + 1 : Math.ceil(text.max / part.min);
  const grown = part.min === 0 ? text.max + parts * by.max : Math.max(text.max, parts * by.max);
  return { min: 0, max: Math.min(unlimited, grown) };
}
