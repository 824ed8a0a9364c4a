import type {
  EventRateLimitConfiguration,
  ImagePolicyWebhookConfiguration,
  PodNodeSelectorConfiguration,
  PodSecurityConfiguration,
  PodTolerationRestrictionConfiguration,
  ResourceQuotaConfiguration,
  WebhookAdmissionConfiguration,
} from "@orchernetes/config";

/** The configurations in `--admission-control-config-file`. Plugins that the file does not name are absent. */
export interface PluginConfigurations {
  readonly EventRateLimit?: EventRateLimitConfiguration;
  readonly ImagePolicyWebhook?: ImagePolicyWebhookConfiguration;
  readonly MutatingAdmissionWebhook?: WebhookAdmissionConfiguration;
  readonly PodNodeSelector?: PodNodeSelectorConfiguration;
  readonly PodSecurity?: PodSecurityConfiguration;
  readonly PodTolerationRestriction?: PodTolerationRestrictionConfiguration;
  readonly ResourceQuota?: ResourceQuotaConfiguration;
  readonly ValidatingAdmissionWebhook?: WebhookAdmissionConfiguration;
}

/** Plugins that cannot start without a configuration. */
export const pluginsThatNeedConfiguration: readonly (keyof PluginConfigurations)[] = [
  "EventRateLimit",
  "ImagePolicyWebhook",
];
