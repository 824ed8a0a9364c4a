import { type FieldError, type FieldPath, field, isDns1123Label, isDns1123Subdomain } from "@orchernetes/apimachinery";
import { semanticEqual } from "../../shared/immutable.ts";
import { report, requireText } from "../../shared/report.ts";
import { mandatoryFlowSchemas } from "./mandatory.ts";
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "./types.ts";

// Schemas with a lower precedence are tried first. 1 is reserved for `exempt`, so that no other schema can match before
// it.
const maxPrecedence = 10_000;
const distinguishers = ["ByNamespace", "ByUser"];
const kinds = ["Group", "ServiceAccount", "User"];
/** Verbs of both kinds of rules: Kubernetes 1.27 has no list of its own for HTTP methods. */
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
const namespaceHint = "each member of this list must be '*' or a DNS-1123 label; ";

/**
 * Validates a FlowSchema (KEP-1040). The specs of the mandatory schemas `exempt` and `catch-all` are fixed. Whether the
 * priority level exists is not checked: a controller reports a missing one in the condition `Dangling`.
 */
export function validateFlowSchema({ metadata, spec }: FlowSchema): FieldError[] {
  const path = field("spec");
  const name = metadata.name ?? "";
  const fixed = Object.hasOwn(mandatoryFlowSchemas, name) ? mandatoryFlowSchemas[name] : undefined;
  if (fixed !== undefined && !semanticEqual(spec, fixed)) {
    return [field.invalid(path, spec, `spec of '${name}' must equal the fixed value`)];
  }
  const errors: FieldError[] = [];
  const precedence = path.child("matchingPrecedence");
  if (spec.matchingPrecedence <= 0) {
    errors.push(field.invalid(precedence, spec.matchingPrecedence, "must be a positive value"));
  }
  if (spec.matchingPrecedence > maxPrecedence) {
    errors.push(field.invalid(precedence, spec.matchingPrecedence, `must not be greater than ${maxPrecedence}`));
  }
  if (spec.matchingPrecedence === 1 && name !== "exempt") {
    const detail = "only the schema named 'exempt' may have matchingPrecedence 1";
    errors.push(field.invalid(precedence, spec.matchingPrecedence, detail));
  }
  const method = spec.distinguisherMethod?.type;
  if (method !== undefined && !distinguishers.includes(method)) {
    errors.push(field.notSupported(path.child("distinguisherMethod", "type"), method, distinguishers));
  }
  const level = path.child("priorityLevelConfiguration");
  const levelName = spec.priorityLevelConfiguration.name;
  if (levelName === "") {
    errors.push(field.required(level.child("name"), "must reference a priority level"));
  } else {
    report(errors, isDns1123Subdomain(levelName), level, "name", levelName);
  }
  return [...errors, ...(spec.rules ?? []).flatMap((rule, i) => validateRule(rule, path.child("rules").index(i)))];
}

/**
 * Validates one rule. It matches a request if one of its subjects and one of its resource or non-resource rules match.
 */
function validateRule(rule: PolicyRulesWithSubjects, path: FieldPath): FieldError[] {
  const resourceRules = rule.resourceRules ?? [];
  const nonResourceRules = rule.nonResourceRules ?? [];
  const errors: FieldError[] =
    rule.subjects.length === 0
      ? [field.required(path.child("subjects"), "subjects must contain at least one value")]
      : rule.subjects.flatMap((subject, i) => validateSubject(subject, path.child("subjects").index(i)));
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    const detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
    errors.push(field.required(path, detail));
  }
  return [
    ...errors,
    ...resourceRules.flatMap((one, i) => validateResourceRule(one, path.child("resourceRules").index(i))),
    ...nonResourceRules.flatMap((one, i) => validateNonResourceRule(one, path.child("nonResourceRules").index(i))),
  ];
}

/**
 * Validates one subject: exactly the member that belongs to its kind is set. A service account may have the name `*`,
 * which means all of its namespace; the namespace must be given.
 */
function validateSubject(subject: Subject, path: FieldPath): FieldError[] {
  const members = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;
  if (!Object.hasOwn(members, subject.kind)) {
    return [field.notSupported(path.child("kind"), subject.kind, kinds)];
  }
  const errors: FieldError[] = [];
  for (const [kind, member] of Object.entries(members)) {
    if (kind !== subject.kind && subject[member] !== undefined) {
      errors.push(field.forbidden(path.child(member), `${member} is forbidden when subject kind is not '${kind}'`));
    }
  }
  const wanted = members[subject.kind];
  const value = subject[wanted];
  if (value === undefined) {
    errors.push(field.required(path.child(wanted), `${wanted} is required when subject kind is '${subject.kind}'`));
    return errors;
  }
  const at = path.child(wanted);
  requireText(errors, value.name, at, "name");
  if (wanted === "serviceAccount" && subject.serviceAccount !== undefined) {
    const { name, namespace } = subject.serviceAccount;
    if (name !== "" && name !== "*") {
      report(errors, isDns1123Subdomain(name), at, "name", name);
    }
    if (namespace === "") {
      errors.push(field.required(at.child("namespace"), "must specify namespace for service account"));
    } else {
      report(errors, isDns1123Label(namespace), at, "namespace", namespace);
    }
  }
  return errors;
}

/** Validates a list that must not be empty, and in which `*` stands alone. */
function validateNames(names: readonly string[], path: FieldPath, missing: string, others: string): FieldError[] {
  if (names.length === 0) {
    return [field.required(path, missing)];
  }
  return names.length > 1 && names.includes("*")
    ? [field.invalid(path, names, `if '*' is present, must not specify other ${others}`)]
    : [];
}

/**
 * Validates verbs against the list of known ones, unless `*` is among them. Upstream reports all verbs of the rule if
 * one is unknown, not only that one.
 */
function validateVerbs(names: readonly string[], path: FieldPath): FieldError[] {
  const errors = validateNames(names, path, "verbs must contain at least one value", "verbs");
  const known = names.includes("*") || names.every((verb) => verbs.includes(verb));
  return known ? errors : [...errors, field.notSupported(path, names, verbs)];
}

/**
 * Validates a rule for resources. A rule without namespaces matches no namespaced resource, and is allowed only if it
 * matches cluster-scoped ones.
 */
function validateResourceRule(rule: ResourcePolicyRule, path: FieldPath): FieldError[] {
  const namespaces = rule.namespaces ?? [];
  const errors = [
    ...validateVerbs(rule.verbs, path.child("verbs")),
    ...validateNames(
      rule.apiGroups,
      path.child("apiGroups"),
      "resource rules must supply at least one api group",
      "api groups",
    ),
    ...validateNames(
      rule.resources,
      path.child("resources"),
      "resource rules must supply at least one resource",
      "resources",
    ),
  ];
  const at = path.child("namespaces");
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const detail = "resource rules that are not cluster scoped must supply at least one namespace";
    errors.push(field.required(at, detail));
  } else if (namespaces.length > 0) {
    errors.push(...validateNames(namespaces, at, "", "namespaces"));
  }
  for (const [i, namespace] of (namespaces.includes("*") ? [] : namespaces).entries()) {
    const messages = isDns1123Label(namespace);
    errors.push(...messages.map((message) => field.invalid(at.index(i), namespace, namespaceHint + message)));
  }
  return errors;
}

function validateNonResourceRule(rule: NonResourcePolicyRule, path: FieldPath): FieldError[] {
  const at = path.child("nonResourceURLs");
  const urls = rule.nonResourceURLs;
  const missing = "nonResourceURLs must contain at least one value";
  return [
    ...validateVerbs(rule.verbs, path.child("verbs")),
    ...validateNames(urls, at, missing, "non-resource URLs"),
    ...(urls.includes("*") ? [] : urls.flatMap((url, i) => validateUrl(url, at.index(i)))),
  ];
}

/** Validates a path of a non-resource rule. The only wildcard is `/*` at the end, because matching is by prefix. */
function validateUrl(url: string, path: FieldPath): FieldError[] {
  const invalid = (detail: string): FieldError[] => [field.invalid(path, url, detail)];
  if (url === "") {
    return invalid("must not be empty");
  }
  if (url === "/") {
    return [];
  }
  if (!url.startsWith("/")) {
    return invalid("must start with slash");
  }
  if (url.includes(" ")) {
    return invalid("must not contain white-space");
  }
  if (url.includes("//")) {
    return invalid("must not contain double slash");
  }
  const star = url.indexOf("*");
  if (star >= 0 && star < url.length - 1) {
    return invalid("wildcard can only do suffix matching");
  }
  return star >= 0 && !url.endsWith("/*") ? invalid("wildcard can only do suffix matching") : [];
}
