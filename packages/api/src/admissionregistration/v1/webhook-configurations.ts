import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "./types.ts";
import { validateWebhooks, type Webhook } from "./webhook-validation.ts";

/** Sets the defaults of a webhook: a timeout of ten seconds, and all objects in every version. */
function defaultWebhook(webhook: Draft<Webhook>): void {
  if (webhook.clientConfig.service !== undefined) {
    webhook.clientConfig.service.port ??= 443;
  }
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  for (const rule of webhook.rules ?? []) {
    rule.scope ??= "*";
  }
}

/** `admissionregistration.o8s.io/v1` mutating webhooks: may change or reject requests. */
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
    validate: ({ webhooks }, ctx) => validateWebhooks(webhooks, ctx),
    validateUpdate: ({ webhooks }, old, ctx) => validateWebhooks(webhooks, ctx, old.webhooks ?? []),
    generation: ({ webhooks }) => webhooks ?? [],
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("Webhooks", "integer", "Number of webhooks.", ({ webhooks }) => webhooks?.length ?? 0),
    age(),
  ],
});

/** `admissionregistration.o8s.io/v1` validating webhooks: may reject requests. */
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
    validate: ({ webhooks }, ctx) => validateWebhooks(webhooks, ctx),
    validateUpdate: ({ webhooks }, old, ctx) => validateWebhooks(webhooks, ctx, old.webhooks ?? []),
    generation: ({ webhooks }) => webhooks ?? [],
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("Webhooks", "integer", "Number of webhooks.", ({ webhooks }) => webhooks?.length ?? 0),
    age(),
  ],
});
