import { type FieldError, type FieldPath, field, isQualifiedName } from "@orchernetes/apimachinery";
import { report } from "../../shared/report.ts";
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from "./types.ts";

// Limits of KEP-3329: each failed pod is compared to all rules, and exit codes have one byte, of which 0 is success.
const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;
const actions = ["Count", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

/**
 * Validates a Job's pod failure policy (KEP-3329). The caller checks that the pod template has `restartPolicy: Never`:
 * with OnFailure the orchlet restarts containers itself, and the controller sees no failed pods.
 */
export function validatePodFailurePolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const at = path.child("rules");
  const { containers = [], initContainers = [] } = spec.template.spec;
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map((container) => container.name));
  return [
    ...(rules.length > maxRules ? [field.tooMany(at, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, i) => validateRule(rule, names, at.index(i))),
  ];
}

/** Validates one rule: it needs exactly one of exit codes and pod conditions. */
function validateRule(rule: PodFailurePolicyRule, containers: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const action = path.child("action");
  if ((rule.action as string) === "") {
    errors.push(field.required(action, `valid values: ["Count" "FailJob" "Ignore"]`));
  } else if (!actions.includes(rule.action)) {
    errors.push(field.notSupported(action, rule.action, actions));
  }
  const patterns = rule.onPodConditions ?? [];
  const at = path.child("onPodConditions");
  if (rule.onExitCodes !== undefined) {
    errors.push(...validateExitCodes(rule.onExitCodes, containers, path.child("onExitCodes")));
  }
  if (patterns.length > maxPatterns) {
    errors.push(field.tooMany(at, patterns.length, maxPatterns));
  }
  errors.push(...patterns.flatMap((pattern, i) => validatePattern(pattern, at.index(i))));
  if (rule.onExitCodes !== undefined && patterns.length > 0) {
    errors.push(field.invalid(path, rule, "specifying both OnExitCodes and OnPodConditions is not supported"));
  }
  if (rule.onExitCodes === undefined && patterns.length === 0) {
    errors.push(field.invalid(path, rule, "specifying one of OnExitCodes and OnPodConditions is required"));
  }
  return errors;
}

/**
 * Validates the exit codes of a rule. A container name must be one of the pod template; otherwise the rule would never
 * match.
 */
function validateExitCodes(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  containers: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const operator = path.child("operator");
  if ((requirement.operator as string) === "") {
    errors.push(field.required(operator, `valid values: ["In" "NotIn"]`));
  } else if (!operators.includes(requirement.operator)) {
    errors.push(field.notSupported(operator, requirement.operator, operators));
  }
  const { containerName } = requirement;
  if (containerName !== undefined && !containers.has(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.push(field.invalid(path.child("containerName"), containerName, detail));
  }
  return [...errors, ...validateValues(requirement, path.child("values"))];
}

/** Validates exit codes: ordered, each once. 0 is success, so a policy for failures must not contain it. */
function validateValues({ operator, values }: PodFailurePolicyOnExitCodesRequirement, path: FieldPath): FieldError[] {
  if (values.length === 0) {
    return [field.invalid(path, values, "at least one value is required")];
  }
  if (values.length > maxExitCodes) {
    return [field.tooMany(path, values.length, maxExitCodes)];
  }
  const errors: FieldError[] = [];
  const seen = new Set<number>();
  let ordered = true;
  for (const [i, value] of values.entries()) {
    if (operator === "In" && value === 0) {
      errors.push(field.invalid(path.index(i), value, "must not be 0 for the In operator"));
    }
    if (seen.has(value)) {
      errors.push(field.duplicate(path.index(i), value));
    }
    seen.add(value);
    ordered &&= i === 0 || (values[i - 1] ?? 0) <= value;
  }
  return ordered ? errors : [...errors, field.invalid(path, values, "must be ordered")];
}

/** Validates a pattern for pod conditions: a qualified name as the type, and one of the three statuses. */
function validatePattern(pattern: PodFailurePolicyOnPodConditionsPattern, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  report(errors, isQualifiedName(pattern.type), path, "type", pattern.type);
  const status = path.child("status");
  if ((pattern.status as string) === "") {
    errors.push(field.required(status, `valid values: ["False" "True" "Unknown"]`));
  } else if (!statuses.includes(pattern.status)) {
    errors.push(field.notSupported(status, pattern.status, statuses));
  }
  return errors;
}
