import {
  type ExpressionChecker,
  type ExpressionResult,
  type FieldError,
  type FieldPath,
  field,
  isCIdentifier,
  isDns1035Label,
  isDns1123Subdomain,
  isQualifiedName,
  type StrategyContext,
} from "@orchernetes/apimachinery";
import { validateConditions } from "../../shared/conditions.ts";
import { semanticEqual } from "../../shared/immutable.ts";
import { report } from "../../shared/report.ts";
import { validateMatchConditions } from "../v1/webhook-validation.ts";
import { validateMatchResources } from "./match-resources.ts";
import type { AuditAnnotation, ParamKind, ValidatingAdmissionPolicy, Validation, Variable } from "./types.ts";

const failurePolicies = ["Fail", "Ignore"];
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"];
// Limits of KEP-3488. Every annotation is evaluated for every matching request, and its value goes to the audit log.
const maxAuditAnnotations = 20;
const maxValueExpressionBytes = 5 * 1024;
const missing = "validations or auditAnnotations must be provided";

/**
 * Validates the kind of parameters. The server finds the resource of the kind through discovery; it need not exist yet.
 */
function validateParamKind({ apiVersion = "", kind = "" }: ParamKind, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const [first = "", second, ...more] = apiVersion.split("/");
  if (apiVersion === "") errors.push(field.required(path.child("apiVersion")));
  else if (more.length > 0) {
    const detail = `unexpected GroupVersion string: ${apiVersion}`;
    errors.push(field.invalid(path.child("apiVersion"), apiVersion, detail));
  } else {
    if (second !== undefined) report(errors, isDns1123Subdomain(first), path, "apiVersion", first);
    report(errors, isDns1035Label(second ?? first), path, "apiVersion", second ?? first);
  }
  if (kind === "") errors.push(field.required(path.child("kind")));
  else {
    const messages = isDns1035Label(kind.toLowerCase());
    if (messages.length > 0) {
      const detail = `may have mixed case, but should otherwise match: ${messages.join(",")}`;
      errors.push(field.invalid(path.child("kind"), kind, detail));
    }
  }
  return errors;
}

/**
 * Compiles an expression.
 *
 * @param expressions - the compiler; without one, nothing is reported
 * @param check - the expression, its result type, and whether it may use the variable `authorizer` (default true)
 * @param path - path of the expression
 */
function compileErrors(
  expressions: ExpressionChecker | undefined,
  [expression, result, authorizer]: readonly [string, ExpressionResult, boolean?],
  path: FieldPath,
): FieldError[] {
  const detail = expressions?.check(expression, result, authorizer);
  return detail === undefined ? [] : [field.invalid(path, expression, detail)];
}

/**
 * Validates one validation. The message must be on one line, because it becomes part of an error message; if the
 * expression, which is the default message, has several lines, a message is required.
 */
function validateValidation(
  validation: Validation,
  path: FieldPath,
  expressions: ExpressionChecker | undefined,
): FieldError[] {
  const { expression, message = "", messageExpression = "", reason } = validation;
  const errors: FieldError[] = [];
  if (expression.trim() === "") errors.push(field.required(path.child("expression"), "expression is not specified"));
  else errors.push(...compileErrors(expressions, [expression, "bool"], path.child("expression")));
  const texts = path.child("messageExpression");
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(field.invalid(texts, messageExpression, "must be non-empty if specified"));
  } else if (messageExpression !== "") {
    errors.push(...compileErrors(expressions, [messageExpression, "string", false], texts));
  }
  const at = path.child("message");
  if (message !== "" && message.trim() === "") {
    errors.push(field.invalid(at, message, "message must be non-empty if specified"));
  } else if (/[\r\n]/.test(message.trim())) {
    errors.push(field.invalid(at, message, "message must not contain line breaks"));
  } else if (/[\r\n]/.test(expression) && message.trim() === "") {
    errors.push(field.required(at, "message must be specified if expression contains line breaks"));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(field.notSupported(path.child("reason"), reason, reasons));
  }
  return errors;
}

/** Validates one audit annotation. Its full key is `POLICY/KEY`, so the policy's name is part of what is validated. */
function validateAuditAnnotation(
  policy: string,
  annotation: AuditAnnotation,
  path: FieldPath,
  expressions: ExpressionChecker | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  const key = policy === "" ? annotation.key : `${policy}/${annotation.key}`;
  report(errors, isQualifiedName(key), path, "key", key);
  const expression = annotation.valueExpression.trim();
  const at = path.child("valueExpression");
  if (expression === "") errors.push(field.required(at, "valueExpression is not specified"));
  else if (Buffer.byteLength(expression) > maxValueExpressionBytes) {
    errors.push(field.required(at, `must not exceed ${maxValueExpressionBytes} bytes in length`));
  } else errors.push(...compileErrors(expressions, [expression, "stringOrNull"], at));
  return errors;
}

function validateAuditAnnotations(
  policy: ValidatingAdmissionPolicy,
  path: FieldPath,
  expressions: ExpressionChecker | undefined,
): FieldError[] {
  const annotations = policy.spec.auditAnnotations ?? [];
  const errors: FieldError[] = [];
  if (annotations.length > maxAuditAnnotations) {
    errors.push(field.invalid(path, annotations, `must not have more than ${maxAuditAnnotations} auditAnnotations`));
  }
  const keys = new Set<string>();
  for (const [i, annotation] of annotations.entries()) {
    errors.push(...validateAuditAnnotation(policy.metadata.name ?? "", annotation, path.index(i), expressions));
    if (keys.has(annotation.key)) errors.push(field.duplicate(path.index(i).child("key"), annotation.key));
    keys.add(annotation.key);
  }
  return errors;
}

/**
 * Validates variables and declares them to the compiler in order: an expression can use only the variables before it
 * (KEP-3488), and the validations that are compiled afterwards can use all.
 */
function validateVariables(
  variables: readonly Variable[],
  path: FieldPath,
  expressions: ExpressionChecker | undefined,
): FieldError[] {
  const names = new Set<string>();
  return variables.flatMap(({ name, expression }, i) => {
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (name.trim() === "") errors.push(field.required(at.child("name"), "name is not specified"));
    else {
      if (isCIdentifier(name).length > 0)
        errors.push(field.invalid(at.child("name"), name, "name is not a valid CEL identifier"));
      if (names.has(name)) errors.push(field.duplicate(at, name));
    }
    names.add(name);
    if (expression.trim() === "") errors.push(field.required(at.child("expression"), "expression is not specified"));
    else {
      const detail = expressions?.declare(name, expression);
      if (detail !== undefined) errors.push(field.invalid(at.child("expression"), expression, detail));
    }
    return errors;
  });
}

/**
 * Validates a policy.
 *
 * @param policy - the policy to validate
 * @param ctx - its `expressions` creates a compiler; without it, expressions are not compiled
 * @param old - the stored policy of an update. If the spec is unchanged, expressions are not compiled again, so that an
 *   object stored by a server with other CEL libraries can still be changed, for example by removing a finalizer
 */
export function validatePolicy(
  policy: ValidatingAdmissionPolicy,
  ctx: Pick<StrategyContext, "expressions">,
  old?: ValidatingAdmissionPolicy,
): FieldError[] {
  const { spec } = policy;
  const stays = old !== undefined && semanticEqual(old.spec, spec);
  const expressions = stays ? undefined : ctx.expressions?.(spec.paramKind !== undefined);
  const path = field("spec");
  const errors: FieldError[] = [];
  if (spec.failurePolicy === undefined) errors.push(field.required(path.child("failurePolicy")));
  else if (!failurePolicies.includes(spec.failurePolicy)) {
    errors.push(field.notSupported(path.child("failurePolicy"), spec.failurePolicy, failurePolicies));
  }
  if (spec.paramKind !== undefined) errors.push(...validateParamKind(spec.paramKind, path.child("paramKind")));
  const constraints = path.child("matchConstraints");
  if (spec.matchConstraints === undefined) errors.push(field.required(constraints));
  else {
    errors.push(...validateMatchResources(spec.matchConstraints, constraints));
    if ((spec.matchConstraints.resourceRules ?? []).length === 0) {
      errors.push(field.required(constraints.child("resourceRules")));
    }
  }
  if (old === undefined || !semanticEqual(old.spec.matchConditions, spec.matchConditions)) {
    errors.push(...validateMatchConditions(spec.matchConditions, path.child("matchConditions"), expressions));
  }
  errors.push(...validateVariables(spec.variables ?? [], path.child("variables"), expressions));
  const validations = spec.validations ?? [];
  if (validations.length === 0 && (spec.auditAnnotations ?? []).length === 0) {
    const parts = ["validations", "auditAnnotations"];
    return [...errors, ...parts.map((part) => field.required(path.child(part), missing))];
  }
  for (const [i, validation] of validations.entries()) {
    errors.push(...validateValidation(validation, path.child("validations").index(i), expressions));
  }
  return [...errors, ...validateAuditAnnotations(policy, path.child("auditAnnotations"), expressions)];
}

/** Validates the status of a policy: the warnings of type checking, and the conditions. */
export function validatePolicyStatus({ status }: ValidatingAdmissionPolicy): FieldError[] {
  const path = field("status");
  const errors: FieldError[] = [];
  for (const [i, { fieldRef, warning }] of (status.typeChecking?.expressionWarnings ?? []).entries()) {
    const at = path.child("typeChecking", "expressionWarnings").index(i);
    if (warning === "") errors.push(field.required(at.child("warning"), "must contain type checking warnings"));
    if (fieldRef.trim() === "") errors.push(field.required(at.child("fieldRef")));
  }
  return [...errors, ...validateConditions(status.conditions, path.child("conditions"))];
}
