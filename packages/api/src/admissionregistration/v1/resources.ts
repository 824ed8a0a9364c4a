import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { mutatingWebhookConfigurations } from "./mutating-webhook-configuration.ts";
import { validatingWebhookConfigurations } from "./validating-webhook-configuration.ts";

/** Resources of `admissionregistration.o8s.io/v1`. */
export const admissionregistrationV1: readonly ResourceDefinition[] = [
  erase(mutatingWebhookConfigurations),
  erase(validatingWebhookConfigurations),
];
