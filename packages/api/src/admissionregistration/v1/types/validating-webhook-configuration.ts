import {
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
import { MatchCondition, RuleWithOperations, WebhookClientConfig } from "./common.ts";

const pkg = "admissionregistration/v1";

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
