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
