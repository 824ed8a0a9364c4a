import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { documentation as v1 } from "../v1/documentation.ts";

/** Texts of the types of admissionregistration.o8s.io/v1beta1. */
export const documentation: TypeDocumentation = {
  ValidatingAdmissionPolicy: {
    "": "Rules in CEL that may refuse objects before they are stored, checked by orch-apiserver itself. It does nothing until a ValidatingAdmissionPolicyBinding puts it to use.",
    spec: "Which objects are checked, and how.",
    status: "What was found when the expressions were checked. Written by orch-apiserver.",
  },
  ValidatingAdmissionPolicySpec: {
    "": "Which objects a policy checks, and how.",
    paramKind: "Kind of the objects that hold parameters. Default: there are none, and params is null.",
    matchConstraints: "Which requests are checked; an object must match here and in the binding. Required.",
    validations: "What must be true of the object. This or auditAnnotations is not empty.",
    failurePolicy:
      "What happens to the request when the policy is wrong or an expression fails: Fail (the default) applies the validationActions of the binding, Ignore continues.",
    auditAnnotations: "Annotations of the audit event, computed from the request. This or validations is not empty.",
    matchConditions: "CEL expressions that all must be true for a check; at most 64. Default: always.",
    variables: "Named expressions that other ones can use as variables.NAME. Each may use those before it.",
  },
  ParamKind: {
    "": "Kind of the objects that hold a policy's parameters.",
    apiVersion: "Group and version of the kind, such as rules.example.com/v1.",
    kind: "Name of the kind.",
  },
  Validation: {
    "": "Something that must be true of an object.",
    expression:
      "CEL expression of type bool over object, oldObject, request, params and authorizer; where there is no object, it is null. False: the check fails.",
    message:
      "Error when the check fails. Required when expression has line breaks. Default: failed expression: and the expression.",
    reason:
      "Reason, and so the HTTP status, of the error: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge. Default: Invalid.",
    messageExpression:
      "CEL expression whose text is the error when the check fails; goes before message. It may not use authorizer. When it fails, message is used.",
  },
  Variable: {
    "": "A named expression.",
    name: "Name of the variable, an identifier of CEL. Unique within the policy.",
    expression: "CEL expression for its value. It is computed when first used, once for each request.",
  },
  AuditAnnotation: {
    "": "An annotation of the audit event.",
    key: "Name of the annotation; the policy's name and a slash are put in front. Unique within the policy.",
    valueExpression: "CEL expression for its value: a string, or null for no annotation. Values beyond 10 KiB are cut.",
  },
  MatchResources: {
    "": "The requests that a policy applies to.",
    namespaceSelector: v1.ValidatingWebhook?.namespaceSelector ?? "",
    objectSelector: v1.ValidatingWebhook?.objectSelector ?? "",
    resourceRules: "Operations on resources that it applies to; one matching rule is enough.",
    excludeResourceRules: "Operations on resources that it is not about, even if resourceRules match.",
    matchPolicy:
      "Whether rules also match requests for another group or version of the same resource: Equivalent (the default) converts the object, Exact does not match.",
  },
  NamedRuleWithOperations: {
    ...v1.RuleWithOperations,
    "": "Some operations on some resources, and maybe only on objects of some names.",
    resourceNames: "Names of the objects. Default: all.",
  },
  ValidatingAdmissionPolicyStatus: {
    "": "What was found about a policy.",
    observedGeneration: "The metadata.generation that this status refers to.",
    typeChecking: "What the type check of the expressions found. When absent, it is not complete yet.",
    conditions: "Summaries of the state, one of each type.",
  },
  TypeChecking: {
    "": "What a type check of the expressions found.",
    expressionWarnings: "One item for each expression that looks wrong.",
  },
  ExpressionWarning: {
    "": "An expression that looks wrong.",
    fieldRef: "Path of the expression, such as spec.validations[0].expression.",
    warning: "A human-readable description of the error: each kind it was checked against with the errors found.",
  },
  ValidatingAdmissionPolicyBinding: {
    "": "Puts a policy to use: for these requests, with these parameters, with this effect. A policy can have many bindings; each is checked by itself.",
    spec: "Which policy, for what and how.",
  },
  ValidatingAdmissionPolicyBindingSpec: {
    "": "Which policy is put to use, for what and how.",
    policyName: "Name of the policy. While it does not exist, the binding does nothing.",
    paramRef: "The object with the parameters. Only when the policy has a paramKind.",
    matchResources: "Restricts what the policy applies to. Default: everything that it matches.",
    validationActions:
      "What a failed check does: Deny rejects the request, Warn sends a warning with the answer, Audit adds to the audit event. Deny and Warn exclude each other. Required.",
  },
  ParamRef: {
    "": "The objects with the parameters of a policy: exactly one of name and selector is set. With several objects the policy is checked once for each.",
    name: "Name of the object.",
    namespace: "Namespace of the objects. Default: that of the object that is checked, where the kind has namespaces.",
    selector: "Labels of the objects. An empty selector means all of the kind.",
    parameterNotFoundAction:
      "What happens when there is no such object: Allow lets the request pass this binding, Deny does as failurePolicy of the policy says. Required.",
  },
};
