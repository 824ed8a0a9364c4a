import { resourceDefinitions } from "@orchernetes/apimachinery";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "./webhook-configurations.ts";

export { validateWebhookClientConfig } from "./client-config-validation.ts";
export * from "./types.ts";
export * from "./webhook-configurations.ts";

/** Resources of `admissionregistration.o8s.io/v1`. */
export const admissionregistrationV1 = resourceDefinitions(
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
);
