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

/** How a label selector appears in messages. */
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

/** Whether the selector has no requirement at all; an absent one is not empty, it selects nothing. */
export function isEmptySelector(selector: LabelSelector | undefined | null): boolean {
  return (
    selector !== undefined &&
    selector !== null &&
    Object.keys(selector.matchLabels ?? {}).length === 0 &&
    (selector.matchExpressions ?? []).length === 0
  );
}

/** The compiled selector, or undefined when it is not valid. */
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

/** From here on it takes long to compile a selector. */
const manyLabels = 1000;

const labelsOf = (selector: LabelSelector | undefined | null): number =>
  Object.keys(selector?.matchLabels ?? {}).length;

/** Whether the selector can be compiled. */
export function isValidSelector(selector: LabelSelector | undefined | null): boolean {
  if (selector && labelsOf(selector) > manyLabels)
    return validateLabelSelector(selector, field("selector")).length === 0;
  return compileSelector(selector) !== undefined;
}

/** Error list of a selector that may not change after creation. */
export function immutableSelector(
  selector: LabelSelector | undefined,
  old: LabelSelector | undefined,
  path: Path,
): FieldError[] {
  return semanticEqual(selector, old) ? [] : [field.invalid(path, printLabelSelector(selector), immutableMessage)];
}

/** Error list of template labels that the selector of their workload does not select. */
export function templateMatches(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
  path: Path,
): FieldError[] {
  // Of so many labels that the template cannot have them all, none needs to be looked at.
  const wanted = labelsOf(selector);
  const tooMany = wanted > manyLabels && wanted > Object.keys(labels ?? {}).length;
  const compiled = tooMany ? undefined : compileSelector(selector);
  return !tooMany && (compiled === undefined || compiled.matches(labels))
    ? []
    : [field.invalid(path, goStringMap(labels), "`selector` does not match template `labels`")];
}
