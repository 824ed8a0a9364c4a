import {
  type FieldError,
  field,
  goSlice,
  goStringMap,
  goStruct,
  type LabelSelector,
  labelSelectorAsSelector,
  literal,
  type Path,
  type Selector,
  SelectorError,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { immutableMessage, semanticEqual } from "./immutable.ts";

/** A label selector as messages show it: Go's `%#v` of the struct, which clients of upstream see. */
export function printLabelSelector(selector: LabelSelector | undefined | null): unknown {
  if (selector === undefined || selector === null) {
    return undefined;
  }
  const expressions = selector.matchExpressions;
  return goStruct("v1.LabelSelector", {
    MatchLabels: goStringMap(selector.matchLabels),
    MatchExpressions:
      expressions === undefined
        ? literal("[]v1.LabelSelectorRequirement(nil)")
        : goSlice(
            "v1.LabelSelectorRequirement",
            expressions.map((expression) =>
              goStruct("v1.LabelSelectorRequirement", {
                Key: expression.key,
                Operator: expression.operator,
                Values: goSlice("string", expression.values),
              }),
            ),
          ),
  });
}

/**
 * Whether the selector has no requirement. An absent selector is not empty: it selects nothing, while an empty one
 * selects everything.
 */
export function isEmptySelector(selector: LabelSelector | undefined | null): boolean {
  return (
    selector !== undefined &&
    selector !== null &&
    Object.keys(selector.matchLabels ?? {}).length === 0 &&
    (selector.matchExpressions ?? []).length === 0
  );
}

/** The compiled selector; undefined if it is not valid. */
export function compileSelector(selector: LabelSelector | undefined | null): Selector | undefined {
  try {
    return labelSelectorAsSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) {
      return undefined;
    }
    throw error;
  }
}

/**
 * Selectors with more labels are not compiled for validation: it would take milliseconds, and the client chooses their
 * number.
 */
const manyLabels = 1000;

const labelsOf = (selector: LabelSelector | undefined | null): number =>
  Object.keys(selector?.matchLabels ?? {}).length;

/** Whether the selector is valid. */
export function isValidSelector(selector: LabelSelector | undefined | null): boolean {
  if (selector && labelsOf(selector) > manyLabels)
    return validateLabelSelector(selector, field("selector")).length === 0;
  return compileSelector(selector) !== undefined;
}

/** Validates that a selector did not change after creation. */
export function immutableSelector(
  selector: LabelSelector | undefined,
  old: LabelSelector | undefined,
  path: Path,
): FieldError[] {
  return semanticEqual(selector, old) ? [] : [field.invalid(path, printLabelSelector(selector), immutableMessage)];
}

/**
 * Validates that the selector of a workload selects its own template. Otherwise the controller would create pods that
 * it does not count, and create more of them without end.
 */
export function templateMatches(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
  path: Path,
): FieldError[] {
  // With more labels than the template has, the selector cannot match, and need not be compiled.
  const wanted = labelsOf(selector);
  const tooMany = wanted > manyLabels && wanted > Object.keys(labels ?? {}).length;
  const compiled = tooMany ? undefined : compileSelector(selector);
  return !tooMany && (compiled === undefined || compiled.matches(labels))
    ? []
    : [field.invalid(path, goStringMap(labels), "`selector` does not match template `labels`")];
}
