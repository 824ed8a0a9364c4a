import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { age, column, name } from "../../shared/index.ts";
import { MutatingWebhookConfiguration } from "./types/mutating-webhook-configuration.ts";
import { defaultWebhook } from "./webhook-defaults.ts";
import { validateWebhooks } from "./webhook-validation.ts";

/** Webhooks that may change or refuse requests. */
export const mutatingWebhookConfigurations = defineResource<MutatingWebhookConfiguration>({
  group: "admissionregistration.o8s.io",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  singular: "mutatingwebhookconfiguration",
  categories: ["api-extensions"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: MutatingWebhookConfiguration,
  storagePrefix: "/registry/mutatingwebhookconfigurations",
  applyDefaults: ({ webhooks }) => {
    for (const webhook of webhooks ?? []) {
      defaultWebhook(webhook);
      webhook.reinvocationPolicy ??= "Never";
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
