import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { age, column, name } from "../../shared/index.ts";
import { ValidatingWebhookConfiguration } from "./types/validating-webhook-configuration.ts";
import { defaultWebhook } from "./webhook-defaults.ts";
import { validateWebhooks } from "./webhook-validation.ts";

/** Webhooks that may refuse requests. */
export const validatingWebhookConfigurations = defineResource<ValidatingWebhookConfiguration>({
  group: "admissionregistration.o8s.io",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  singular: "validatingwebhookconfiguration",
  categories: ["api-extensions"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: ValidatingWebhookConfiguration,
  storagePrefix: "/registry/validatingwebhookconfigurations",
  applyDefaults: ({ webhooks }) => {
    for (const webhook of webhooks ?? []) {
      defaultWebhook(webhook);
    }
  },
  strategy: {
    validate: ({ webhooks }) => validateWebhooks(webhooks),
    validateUpdate: ({ webhooks }) => validateWebhooks(webhooks),
    generation: ({ webhooks }) => webhooks ?? [],
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("Webhooks", "integer", "Number of webhooks.", ({ webhooks }) => webhooks?.length ?? 0),
    age(),
  ],
});
