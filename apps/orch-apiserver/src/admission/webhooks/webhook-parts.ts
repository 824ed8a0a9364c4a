import { type ApiObject, isNotFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import { Authorization } from "@orchernetes/auth";
import type { WebhookAdmissionConfiguration } from "@orchernetes/config";
import { deprecatedCertificates } from "../../metrics/deprecated-certificates.ts";
import type { PluginSettings } from "../shared/plugin.ts";
import type { FailurePolicyParts } from "./failure-policy.ts";
import type { Webhook, WebhookConfiguration } from "./webhook.ts";
import { WebhookClients } from "./webhook-clients.ts";
import { WebhookConditions } from "./webhook-conditions.ts";
import { webhookCredentials } from "./webhook-credentials.ts";
import { type WebhookStep, webhookMetrics } from "./webhook-metrics.ts";
import { WebhookSource } from "./webhook-source.ts";

/** The parts that both plugins of webhooks have. */
export interface WebhookParts<T extends ApiObject & WebhookConfiguration> {
  readonly source: WebhookSource<T>;
  readonly clients: WebhookClients;
  readonly conditions: WebhookConditions;
  readonly failurePolicy: FailurePolicyParts;
}

/** The settings in which the plugins differ. */
export interface WebhookPlugin<T extends ApiObject & WebhookConfiguration> {
  readonly step: WebhookStep;
  readonly definition: ResourceDefinition<T>;
  readonly configuration: WebhookAdmissionConfiguration | undefined;
}

/** Creates the parts of a plugin. They follow the configurations from the start of the server on. @throws ClientConfigError for the file of credentials */
export function createWebhookParts<T extends ApiObject & WebhookConfiguration>(
  settings: PluginSettings,
  { step, definition, configuration }: WebhookPlugin<T>,
): WebhookParts<T> {
  const { metrics, clock, logger, signal, dialer, resolveService, whenStarted, rights } = settings;
  let registry: Registry | undefined;
  const clients = new WebhookClients({
    credentials: webhookCredentials(configuration?.orchConfigFile ?? ""),
    resolve: async (service) => {
      if (registry === undefined) throw new Error("the server has not started");
      return resolveService(registry, service).catch((error: unknown) => {
        throw isNotFound(error) ? new Error(`service "${service.name}" not found`) : error;
      });
    },
    dialer,
    onDeprecated: deprecatedCertificates(metrics, "webhooks"),
    clock,
    signal,
  });
  const onChange = (webhooks: readonly Webhook[]) => clients.retain(webhooks.map(({ target }) => target));
  const source = new WebhookSource({ definition, clock, onChange });
  whenStarted((stored, until) => {
    registry = stored;
    return source.follow(stored, until);
  });
  const observer = webhookMetrics(metrics, step);
  const conditions = new WebhookConditions({
    authorizer: new Authorization(rights.authorizers),
    metrics: settings.expressions,
    onFailure: observer.conditionFailed,
  });
  return { source, clients, conditions, failurePolicy: { observer, logger, clock } };
}
