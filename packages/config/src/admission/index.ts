/** The configurations of admission plugins. */
export { admissionConfigurationSchema } from "./admission-configuration.ts";
export {
  type EventRateLimitConfiguration,
  eventRateLimitConfigurationSchema,
} from "./event-rate-limit-configuration.ts";
export {
  type ImagePolicyWebhookConfiguration,
  imagePolicyWebhookConfigurationSchema,
} from "./image-policy-webhook-configuration.ts";
export {
  type PodNodeSelectorConfiguration,
  podNodeSelectorConfigurationSchema,
} from "./pod-node-selector-configuration.ts";
export {
  type PodSecurityConfiguration,
  podSecurityConfigurationSchema,
} from "./pod-security-configuration.ts";
export {
  type PodTolerationRestrictionConfiguration,
  podTolerationRestrictionConfigurationSchema,
} from "./pod-toleration-restriction-configuration.ts";
export {
  type ResourceQuotaConfiguration,
  resourceQuotaConfigurationSchema,
} from "./resource-quota-configuration.ts";
export {
  type WebhookAdmissionConfiguration,
  webhookAdmissionConfigurationSchema,
} from "./webhook-admission-configuration.ts";
