import {
  bytes,
  embed,
  enumeration,
  type Infer,
  int32,
  list,
  message,
  optional,
  pointer,
  required,
  string,
} from "@orchernetes/apimachinery";

const pkg = "admissionregistration/v1";

export const Rule = message(pkg, "Rule", () => ({
  apiGroups: optional(1, list(string)),
  apiVersions: optional(2, list(string)),
  resources: optional(3, list(string)),
  scope: pointer(4, enumeration("Cluster", "Namespaced", "*")),
}));
export interface Rule extends Infer<typeof Rule> {}

export const RuleWithOperations = message(pkg, "RuleWithOperations", () => ({
  operations: optional(1, list(enumeration("*", "CREATE", "UPDATE", "DELETE", "CONNECT"))),
  ...embed(2, "rule", Rule),
}));
export interface RuleWithOperations extends Infer<typeof RuleWithOperations> {}

export const WebhookClientConfig = message(pkg, "WebhookClientConfig", () => ({
  url: pointer(3, string),
  service: pointer(1, ServiceReference),
  caBundle: optional(2, bytes),
}));
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}

export const ServiceReference = message(pkg, "ServiceReference", () => ({
  namespace: required(1, string),
  name: required(2, string),
  path: pointer(3, string),
  port: pointer(4, int32),
}));
export interface ServiceReference extends Infer<typeof ServiceReference> {}

export const MatchCondition = message(pkg, "MatchCondition", () => ({
  name: required(1, string),
  expression: required(2, string),
}));
export interface MatchCondition extends Infer<typeof MatchCondition> {}
