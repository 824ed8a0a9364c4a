import {
  type ExpressionChecker,
  type FieldError,
  type FieldPath,
  field,
  isDns1035Label,
  isFullyQualifiedName,
  isQualifiedName,
  type StrategyContext,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { semanticEqual } from "../../shared/immutable.ts";
import { inRange } from "../../shared/numbers.ts";
import { repeatedItems } from "../../shared/repeated.ts";
import { report, requireText } from "../../shared/report.ts";
import { validateWebhookClientConfig } from "./client-config-validation.ts";
import type { MatchCondition, MutatingWebhook, RuleWithOperations, ValidatingWebhook } from "./types.ts";

/** A webhook of either configuration. */
export type Webhook = ValidatingWebhook | MutatingWebhook;

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];
const failurePolicies = ["Fail", "Ignore"];
const matchPolicies = ["Equivalent", "Exact"];
const sideEffects = ["None", "NoneOnDryRun"];
const reinvocationPolicies = ["IfNeeded", "Never"];
const reviewVersions = ["v1", "v1beta1"];
const maxMatchConditions = 64;
const maxTimeoutSeconds = 30;

/**
 * Validates the webhooks of a configuration.
 *
 * @param old the stored webhooks on updates: unchanged match conditions are not validated again, so that a stored
 *   configuration stays valid if the rules of expressions become stricter
 */
export function validateWebhooks(
  webhooks: readonly Webhook[] | undefined,
  { expressions }: Pick<StrategyContext, "expressions">,
  old?: readonly Webhook[],
): FieldError[] {
  const path = field("webhooks");
  const names = new Set<string>();
  const conditionsOf = (some: readonly Webhook[] | undefined) => some?.map(({ matchConditions }) => matchConditions);
  const keepsConditions = old !== undefined && semanticEqual(conditionsOf(webhooks), conditionsOf(old));
  return (webhooks ?? []).flatMap((webhook, i) => {
    const errors = validateWebhook(webhook, path.index(i));
    if (!keepsConditions) {
      const at = path.index(i).child("matchConditions");
      errors.push(...validateMatchConditions(webhook.matchConditions, at, expressions?.(false)));
    }
    if (webhook.name !== "" && names.has(webhook.name)) {
      errors.push(field.duplicate(path.index(i).child("name"), webhook.name));
    }
    names.add(webhook.name);
    return errors;
  });
}

function validateWebhook(webhook: Webhook, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [
    ...validateReviewVersions(webhook.admissionReviewVersions, path.child("admissionReviewVersions")),
    ...isFullyQualifiedName(path.child("name"), webhook.name),
    ...validateLabelSelector(webhook.namespaceSelector, path.child("namespaceSelector")),
    ...validateLabelSelector(webhook.objectSelector, path.child("objectSelector")),
    ...(webhook.rules ?? []).flatMap((rule, i) => validateRule(rule, path.child("rules").index(i))),
    ...oneOf(webhook.failurePolicy, failurePolicies, path.child("failurePolicy")),
    ...oneOf(webhook.matchPolicy, matchPolicies, path.child("matchPolicy")),
  ];
  if (webhook.sideEffects === undefined || webhook.sideEffects === null) {
    errors.push(field.required(path.child("sideEffects"), "must specify one of None, NoneOnDryRun"));
  } else {
    errors.push(...oneOf(webhook.sideEffects, sideEffects, path.child("sideEffects")));
  }
  if (webhook.timeoutSeconds !== undefined && inRange(webhook.timeoutSeconds, 1, maxTimeoutSeconds, path).length > 0) {
    const detail = `the timeout value must be between 1 and ${maxTimeoutSeconds} seconds`;
    errors.push(field.invalid(path.child("timeoutSeconds"), webhook.timeoutSeconds, detail));
  }
  if ("reinvocationPolicy" in webhook) {
    errors.push(...oneOf(webhook.reinvocationPolicy, reinvocationPolicies, path.child("reinvocationPolicy")));
  }
  return [...errors, ...validateWebhookClientConfig(webhook.clientConfig, path.child("clientConfig"))];
}

function oneOf(value: string | undefined, supported: readonly string[], path: FieldPath): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [field.notSupported(path, value, supported)];
}

function validateReviewVersions(versions: readonly string[], path: FieldPath): FieldError[] {
  if (versions.length === 0) {
    return [field.required(path, `must specify one of ${reviewVersions.join(", ")}`)];
  }
  const errors: FieldError[] = [];
  const repeated = repeatedItems(versions, (version) => version);
  for (const [i, version] of versions.entries()) {
    if (repeated.has(i)) {
      errors.push(field.invalid(path.index(i), version, "duplicate version"));
    }
    errors.push(...isDns1035Label(version).map((message) => field.invalid(path.index(i), version, message)));
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    const detail = `must include at least one of ${reviewVersions.join(", ")}`;
    errors.push(field.invalid(path, versions, detail));
  }
  return errors;
}

/** Validates the requests that a rule matches. */
export function validateRule(rule: RuleWithOperations, path: FieldPath): FieldError[] {
  const named: readonly string[] = rule.operations ?? [];
  const at = path.child("operations");
  return [
    ...validateAlone(named, at, "operations"),
    ...named.flatMap((operation, i) => oneOf(operation, operations, at.index(i))),
    ...validateAlone(rule.apiGroups ?? [], path.child("apiGroups"), "API groups"),
    ...validateAlone(rule.apiVersions ?? [], path.child("apiVersions"), "API versions"),
    ...(rule.apiVersions ?? []).flatMap((version, i) =>
      version === "" ? [field.required(path.child("apiVersions").index(i))] : [],
    ),
    ...validateResources(rule.resources ?? [], path.child("resources")),
    ...oneOf(rule.scope ?? undefined, scopes, path.child("scope")),
  ];
}

/** Validates a list that must not be empty, and in which `*`, which means everything, stands alone. */
function validateAlone(names: readonly string[], path: FieldPath, others: string): FieldError[] {
  if (names.length === 0) {
    return [field.required(path)];
  }
  const detail = `if '*' is present, must not specify other ${others}`;
  return names.length > 1 && names.includes("*") ? [field.invalid(path, names, detail)] : [];
}

/** Validates names of resources, and of subresources after a slash. What a wildcard includes must not be listed again. */
function validateResources(resources: readonly string[], path: FieldPath): FieldError[] {
  if (resources.length === 0) {
    return [field.required(path)];
  }
  const errors: FieldError[] = [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let lastIsPlain = false;
  for (const [i, resource] of resources.entries()) {
    if (resource === "") {
      errors.push(field.required(path.index(i)));
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      // Kubernetes 1.27 looks only at the last name without a slash: `*` after other names is accepted.
      lastIsPlain = resource !== "*";
      continue;
    }
    const [name, subresource] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const repeats = (whole: string) =>
      field.invalid(path.index(i), resource, `if '${whole}' is present, must not specify ${resource}`);
    if (wholeResources.has(name)) errors.push(repeats(`${name}/*`));
    if (wholeSubresources.has(subresource)) errors.push(repeats(`*/${subresource}`));
    if (subresource === "*") wholeResources.add(name);
    if (name === "*") wholeSubresources.add(subresource);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    const detail = "if '*/*' is present, must not specify other resources";
    errors.push(field.invalid(path, resources, detail));
  }
  if (lastIsPlain && resources.includes("*")) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(field.invalid(path, resources, detail));
  }
  return errors;
}

/**
 * Validates the expressions that decide whether a request is sent to a webhook (KEP-3716).
 *
 * @param expressions compiles them; undefined: whether they compile is not checked
 */
export function validateMatchConditions(
  matchConditions: readonly MatchCondition[] | undefined,
  path: FieldPath,
  expressions: ExpressionChecker | undefined,
): FieldError[] {
  const conditions = matchConditions ?? [];
  const errors: FieldError[] =
    conditions.length > maxMatchConditions ? [field.tooMany(path, conditions.length, maxMatchConditions)] : [];
  const names = new Set<string>();
  for (const [i, { name, expression }] of conditions.entries()) {
    const at = path.index(i);
    const trimmed = expression.trim();
    if (requireText(errors, trimmed, at, "expression") && conditions.length <= maxMatchConditions) {
      const detail = expressions?.check(trimmed, "bool");
      if (detail !== undefined) errors.push(field.invalid(at.child("expression"), trimmed, detail));
    }
    if (requireText(errors, name, at, "name")) {
      report(errors, isQualifiedName(name), at, "name", name);
      if (names.has(name)) {
        errors.push(field.duplicate(at.child("name"), name));
      }
      names.add(name);
    }
  }
  return errors;
}
