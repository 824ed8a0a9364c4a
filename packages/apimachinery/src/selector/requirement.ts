import { assertNever } from "@orchernetes/kernel";
import { aggregate, field, type Path } from "../field-errors/field.ts";
import type { FieldError } from "../field-errors/field-error.ts";
import { goSlice } from "../field-errors/go-value.ts";
import { isQualifiedName, isValidLabelValue } from "../names/qualified-name.ts";

/** An operator of the selector language; `=` and `==` are the same. */
export type SelectorOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

/** One condition on one label. All requirements of a selector must hold. */
export interface Requirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  /** Sorted and distinct. One value for `=`, `==`, `!=`, `gt`, `lt`; none for `exists` and `!`. */
  readonly values: readonly string[];
}

/** The text is not a valid selector. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

/** Checks a label key. Parsers have no path; in their messages it is `<nil>`, as in Kubernetes. */
export function checkLabelKey(key: string, path: Path): FieldError | undefined {
  const messages = isQualifiedName(key);
  return messages.length === 0 ? undefined : field.invalid(path, key, messages.join("; "));
}

const int64 = /^[+-]?[0-9]+$/;

/** A whole number in the range of 64 bits, or undefined. */
export function parseInt64(text: string): bigint | undefined {
  if (text.length > 64 || !int64.test(text)) {
    return undefined;
  }
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/**
 * Creates a requirement.
 *
 * @throws SelectorError with all errors
 */
export function newRequirement(key: string, operator: SelectorOperator, values: readonly string[]): Requirement {
  return checkedRequirement(interned(key), operator, values);
}

/**
 * As {@link newRequirement}, for a key that is already a property name.
 *
 * @throws SelectorError with all errors
 */
export function checkedRequirement(key: string, operator: SelectorOperator, values: readonly string[]): Requirement {
  const errors: FieldError[] = [];
  const keyError = checkLabelKey(key, "key");
  if (keyError !== undefined) {
    errors.push(keyError);
  }
  const wrongCount = (detail: string) => errors.push(field.invalid("values", goSlice("string", values), detail));
  switch (operator) {
    case "in":
    case "notin":
      if (values.length === 0) {
        wrongCount("for 'in', 'notin' operators, values set can't be empty");
      }
      break;
    case "=":
    case "==":
    case "!=":
      if (values.length !== 1) {
        wrongCount("exact-match compatibility requires one single value");
      }
      break;
    case "exists":
    case "!":
      if (values.length !== 0) {
        wrongCount("values set must be empty for exists and does not exist");
      }
      break;
    case "gt":
    case "lt":
      if (values.length !== 1) {
        wrongCount("for 'Gt', 'Lt' operators, exactly one value is required");
      }
      for (const [i, value] of values.entries()) {
        if (parseInt64(value) === undefined) {
          errors.push(field.invalid(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
        }
      }
      break;
    default:
      return assertNever(operator);
  }
  for (const [i, value] of values.entries()) {
    const messages = isValidLabelValue(value);
    if (messages.length > 0) {
      errors.push(field.invalid(`values[${i}][${key}]`, value, messages.join("; ")));
    }
  }
  if (errors.length > 0) {
    throw new SelectorError(aggregate(errors));
  }
  return { key, operator, values };
}

/**
 * The text in the engine's internal form of property names: looking up a property by any other text costs several
 * times as much.
 */
function interned(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text;
}

/** Whether labels satisfy the requirement. `!=` and `notin` also match objects without the label. */
export function requirementMatches(
  requirement: Requirement,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const { key, values } = requirement;
  // Inherited properties are not strings: `constructor` is a label only if it was set.
  const found: unknown = labels?.[key];
  const value = typeof found === "string" ? found : undefined;
  switch (requirement.operator) {
    case "=":
    case "==":
      return value !== undefined && value === values[0];
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
      return value === undefined || value !== values[0];
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt":
      return compares(requirement, value);
    default:
      return assertNever(requirement.operator);
  }
}

function compares(requirement: Requirement, value: string | undefined): boolean {
  const have = value === undefined ? undefined : parseInt64(value);
  const bound = parseInt64(requirement.values[0] ?? "");
  if (have === undefined || bound === undefined) {
    return false;
  }
  return requirement.operator === "gt" ? have > bound : have < bound;
}

/** The requirement in the selector language. */
export function requirementText({ key, operator, values }: Requirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values[0] ?? ""}`;
    case "lt":
      return `${key}<${values[0] ?? ""}`;
    case "=":
    case "==":
    case "!=":
      return `${key}${operator}${values[0] ?? ""}`;
    default:
      return assertNever(operator);
  }
}
