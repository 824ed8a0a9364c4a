import type { Draft } from "@orchernetes/apimachinery";
import type { Webhook } from "./webhook-validation.ts";

/** Defaults of a webhook: it must answer within ten seconds, and sees every object in every form. */
export function defaultWebhook(webhook: Draft<Webhook>): void {
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
