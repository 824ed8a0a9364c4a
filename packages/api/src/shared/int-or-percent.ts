import { type FieldError, field, goStruct, isValidPercent, type Path } from "@orchernetes/apimachinery";
import { nonNegative } from "./numbers.ts";

/** A count, or a percentage such as `25%`. */
export type IntOrString = number | string;

/** How a count or percentage appears in messages. */
export function printIntOrString(value: IntOrString): unknown {
  return typeof value === "number"
    ? goStruct("intstr.IntOrString", { Type: 0, IntVal: value, StrVal: "" })
    : goStruct("intstr.IntOrString", { Type: 1, IntVal: 0, StrVal: value });
}

/** The number in front of `%`, or undefined when the value is not a percentage. */
function percentOf(value: IntOrString | undefined): number | undefined {
  return typeof value === "string" && /^[0-9]+%$/.test(value) ? Number(value.slice(0, -1)) : undefined;
}

/** The bare number of a count or percentage; 0 for text that is neither. */
export function intOrPercentValue(value: IntOrString | undefined): number {
  if (typeof value === "number") {
    return value;
  }
  const plain = value !== undefined && /^[-+]?[0-9]+$/.test(value) ? Number(value) : 0;
  return percentOf(value) ?? plain;
}

/** Validates that a value is a count of 0 or more, or a percentage. */
export function positiveIntOrPercent(value: IntOrString | undefined, path: Path): FieldError[] {
  if (typeof value === "string") {
    return isValidPercent(value).map((message) => field.invalid(path, printIntOrString(value), message));
  }
  return nonNegative(value, path);
}

/** Validates that a percentage is at most 100 %. Counts pass. */
export function notMoreThan100Percent(value: IntOrString | undefined, path: Path): FieldError[] {
  const percent = percentOf(value);
  return value !== undefined && percent !== undefined && percent > 100
    ? [field.invalid(path, printIntOrString(value), "must not be greater than 100%")]
    : [];
}
