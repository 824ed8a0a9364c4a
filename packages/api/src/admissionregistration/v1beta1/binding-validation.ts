import {
  type FieldError,
  type FieldPath,
  field,
  isDns1123Subdomain,
  isPathSegmentName,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { repeatedItems } from "../../shared/repeated.ts";
import { report } from "../../shared/report.ts";
import { validateMatchResources } from "./match-resources.ts";
import type { ParamRef, ValidatingAdmissionPolicyBinding } from "./types.ts";

const validationActions = ["Audit", "Deny", "Warn"];
const notFoundActions = ["Allow", "Deny"];

/** Validates actions: each once, and not both Deny and Warn, which would report a violation twice. */
function validateActions(actions: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = actions.length === 0 ? [field.required(path)] : [];
  const repeated = repeatedItems(actions, (action) => action);
  for (const [i, action] of actions.entries()) {
    if (!validationActions.includes(action)) errors.push(field.notSupported(path.index(i), action, validationActions));
    if (repeated.has(i)) errors.push(field.duplicate(path.index(i), action));
  }
  if (actions.includes("Deny") && actions.includes("Warn")) {
    const reason =
      "repeating the same validation failure information in the API response and headers serves no purpose";
    errors.push(field.invalid(path, actions, `must not contain both Deny and Warn (${reason})`));
  }
  return errors;
}

/** Validates the reference to parameters: by name or by selector. */
function validateParamRef(ref: ParamRef | undefined, path: FieldPath): FieldError[] {
  if (ref === undefined) return [];
  const { name = "", selector, parameterNotFoundAction } = ref;
  const errors: FieldError[] = [];
  if (name !== "") report(errors, isPathSegmentName(name), path, "name", name);
  if (selector !== undefined) {
    errors.push(...validateLabelSelector(selector, path.child("selector")));
    if (name !== "") errors.push(field.forbidden(path.child("name"), "name and selector are mutually exclusive"));
  } else if (name === "") errors.push(field.required(path, "one of name or selector must be specified"));
  const at = path.child("parameterNotFoundAction");
  if (parameterNotFoundAction === undefined) errors.push(field.required(at));
  else if (!notFoundActions.includes(parameterNotFoundAction)) {
    errors.push(field.notSupported(at, parameterNotFoundAction, notFoundActions));
  }
  return errors;
}

/** Validates a binding of a policy. */
export function validatePolicyBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const path = field("spec");
  const { policyName = "" } = spec;
  const errors: FieldError[] = policyName === "" ? [field.required(path.child("policyName"))] : [];
  report(errors, isDns1123Subdomain(policyName), path, "policyName", policyName);
  return [
    ...errors,
    ...validateParamRef(spec.paramRef, path.child("paramRef")),
    // The spelling of Kubernetes 1.27.
    ...validateMatchResources(spec.matchResources, path.child("matchResouces")),
    ...validateActions(spec.validationActions ?? [], path.child("validationActions")),
  ];
}
