import { FieldPath, field, type Path } from "../field-errors/field.ts";
import type { FieldError } from "../field-errors/field-error.ts";
import { goQuote } from "../field-errors/go-value.ts";
import { validateLabelName, validateLabels } from "../names/labels.ts";
import { isValidLabelValue } from "../names/qualified-name.ts";
import type { LabelSelector, LabelSelectorRequirement } from "../resource/label-selector.ts";
import { checkedRequirement, newRequirement, type Requirement, requirementText, SelectorError } from "./requirement.ts";
import { everything, nothing, type Selector, selectorOf } from "./selector.ts";

const operators = { In: "in", NotIn: "notin", Exists: "exists", DoesNotExist: "!" } as const;

function toRequirement(expression: LabelSelectorRequirement): Requirement {
  if (!Object.hasOwn(operators, expression.operator)) {
    throw new SelectorError(`${goQuote(expression.operator)} is not a valid label selector operator`);
  }
  const values = [...new Set(expression.values ?? [])].sort();
  return newRequirement(expression.key, operators[expression.operator], values);
}

function toRequirements(selector: LabelSelector): Requirement[] {
  const labels = Object.entries(selector.matchLabels ?? {});
  return [
    ...labels.map(([key, value]) => checkedRequirement(key, "=", [value])),
    ...(selector.matchExpressions ?? []).map(toRequirement),
  ];
}

const compiled = new WeakMap<LabelSelector, Selector>();

/**
 * Compiles a LabelSelector. An absent one selects nothing, `{}` everything. Results are cached by identity, so the
 * object must not be modified afterwards.
 *
 * @throws SelectorError when the selector is not valid
 */
export function labelSelectorAsSelector(selector: LabelSelector | undefined | null): Selector {
  if (selector === undefined || selector === null) {
    return nothing;
  }
  const known = compiled.get(selector);
  if (known !== undefined) {
    return known;
  }
  const requirements = toRequirements(selector);
  const made = requirements.length === 0 ? everything : selectorOf(requirements);
  compiled.set(selector, made);
  return made;
}

/** The selector as tables contain it: `<none>` when it has no requirement, `<error>` when it is not valid. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  try {
    const { requirements } = labelSelectorAsSelector(selector);
    return requirements.map(requirementText).join(",") || "<none>";
  } catch (error) {
    if (error instanceof SelectorError) {
      return "<error>";
    }
    throw error;
  }
}

/**
 * Validates keys, operators and values. An absent selector is valid here; kinds that require one check that
 * themselves.
 */
export function validateLabelSelector(selector: LabelSelector | undefined | null, pathOf: Path): readonly FieldError[] {
  const path = pathOf instanceof FieldPath ? pathOf : new FieldPath(pathOf);
  if (!selector) {
    return [];
  }
  const errors: FieldError[] = [...validateLabels(selector.matchLabels, path.child("matchLabels"))];
  for (const [i, expression] of (selector.matchExpressions ?? []).entries()) {
    errors.push(...validateRequirement(expression, path.child("matchExpressions").index(i)));
  }
  return errors;
}

function validateRequirement(expression: LabelSelectorRequirement, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const values = expression.values ?? [];
  switch (expression.operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        const detail = "must be specified when `operator` is 'In' or 'NotIn'";
        errors.push(field.required(path.child("values"), detail));
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
        errors.push(field.forbidden(path.child("values"), detail));
      }
      break;
    default:
      errors.push(field.invalid(path.child("operator"), expression.operator, "not a valid selector operator"));
  }
  errors.push(...validateLabelName(expression.key, path.child("key")));
  for (const [i, value] of values.entries()) {
    const at = path.child("values").index(i);
    errors.push(...isValidLabelValue(value).map((message) => field.invalid(at, value, message)));
  }
  return errors;
}
