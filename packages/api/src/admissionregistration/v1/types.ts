import {
  bytes,
  embed,
  enumeration,
  type Infer,
  int32,
  LabelSelector,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "admissionregistration/v1";

/** Resources by group, version, resource and scope; `*` matches all. `scope` defaults to `*`. */
export const Rule = message(pkg, "Rule", () => ({
  apiGroups: optional(1, list(string)),
  apiVersions: optional(2, list(string)),
  resources: optional(3, list(string)),
  scope: pointer(4, enumeration("Cluster", "Namespaced", "*")),
}));
export interface Rule extends Infer<typeof Rule> {}

/** Some operations on some resources. */
export const RuleWithOperations = message(pkg, "RuleWithOperations", () => ({
  operations: optional(1, list(enumeration("*", "CREATE", "UPDATE", "DELETE", "CONNECT"))),
  ...embed(2, "rule", Rule),
}));
export interface RuleWithOperations extends Infer<typeof RuleWithOperations> {}

/** How a webhook is called. Exactly one of url and service is set. */
export const WebhookClientConfig = message(pkg, "WebhookClientConfig", () => ({
  url: pointer(3, string),
  service: pointer(1, ServiceReference),
  caBundle: optional(2, bytes),
}));
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}

/** A Service and a path at it. */
export const ServiceReference = message(pkg, "ServiceReference", () => ({
  namespace: required(1, string),
  name: required(2, string),
  path: pointer(3, string),
  port: pointer(4, int32),
}));
export interface ServiceReference extends Infer<typeof ServiceReference> {}

/** A CEL expression that must be true for the webhook to be called. Source: KEP-3716. */
export const MatchCondition = message(pkg, "MatchCondition", () => ({
  name: required(1, string),
  expression: required(2, string),
}));
export interface MatchCondition extends Infer<typeof MatchCondition> {}

/**
 * Webhooks that may change or reject objects before they are stored. They are called one after another, in the order of the
 * names of their configurations.
 */
export const MutatingWebhookConfiguration = object(pkg, "MutatingWebhookConfiguration", () => ({
  metadata: value(1, ObjectMeta),
  webhooks: optional(2, list(MutatingWebhook), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
}));
export interface MutatingWebhookConfiguration extends Infer<typeof MutatingWebhookConfiguration> {}

export const MutatingWebhookConfigurationList = object(pkg, "MutatingWebhookConfigurationList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(MutatingWebhookConfiguration)),
}));
export interface MutatingWebhookConfigurationList extends Infer<typeof MutatingWebhookConfigurationList> {}

/** A webhook that may change or reject objects, and when it is called. */
export const MutatingWebhook = message(pkg, "MutatingWebhook", () => ({
  name: required(1, string),
  clientConfig: required(2, WebhookClientConfig),
  rules: optional(3, list(RuleWithOperations)),
  failurePolicy: pointer(4, enumeration("Ignore", "Fail")),
  matchPolicy: pointer(9, enumeration("Exact", "Equivalent")),
  namespaceSelector: pointer(5, LabelSelector),
  objectSelector: pointer(11, LabelSelector),
  sideEffects: required(6, enumeration("Unknown", "None", "Some", "NoneOnDryRun"), { pointer: true }),
  timeoutSeconds: pointer(7, int32),
  admissionReviewVersions: required(8, list(string)),
  reinvocationPolicy: pointer(10, enumeration("Never", "IfNeeded")),
  matchConditions: optional(12, list(MatchCondition), {
    patch: "merge",
    mergeKey: "name",
    list: "map",
    keys: ["name"],
    gate: "AdmissionWebhookMatchConditions",
  }),
}));
export interface MutatingWebhook extends Infer<typeof MutatingWebhook> {}

/** Webhooks that may reject objects before they are stored. They are called in parallel, after all mutations. */
export const ValidatingWebhookConfiguration = object(pkg, "ValidatingWebhookConfiguration", () => ({
  metadata: value(1, ObjectMeta),
  webhooks: optional(2, list(ValidatingWebhook), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
}));
export interface ValidatingWebhookConfiguration extends Infer<typeof ValidatingWebhookConfiguration> {}

export const ValidatingWebhookConfigurationList = object(pkg, "ValidatingWebhookConfigurationList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ValidatingWebhookConfiguration)),
}));
export interface ValidatingWebhookConfigurationList extends Infer<typeof ValidatingWebhookConfigurationList> {}

/** A webhook that may reject objects, and when it is called. */
export const ValidatingWebhook = message(pkg, "ValidatingWebhook", () => ({
  name: required(1, string),
  clientConfig: required(2, WebhookClientConfig),
  rules: optional(3, list(RuleWithOperations)),
  failurePolicy: pointer(4, enumeration("Ignore", "Fail")),
  matchPolicy: pointer(9, enumeration("Exact", "Equivalent")),
  namespaceSelector: pointer(5, LabelSelector),
  objectSelector: pointer(10, LabelSelector),
  sideEffects: required(6, enumeration("Unknown", "None", "Some", "NoneOnDryRun"), { pointer: true }),
  timeoutSeconds: pointer(7, int32),
  admissionReviewVersions: required(8, list(string)),
  matchConditions: optional(11, list(MatchCondition), {
    patch: "merge",
    mergeKey: "name",
    list: "map",
    keys: ["name"],
    gate: "AdmissionWebhookMatchConditions",
  }),
}));
export interface ValidatingWebhook extends Infer<typeof ValidatingWebhook> {}
