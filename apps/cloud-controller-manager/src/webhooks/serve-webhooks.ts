import type { CloudProvider, CloudWebhook } from "@orchernetes/cloud-provider";
import { createSecureServing, type FlagValues, type Metrics, refuseBadHttp } from "@orchernetes/component";
import type { Logger } from "@orchernetes/kernel";
import type { cloudControllerManagerFlags } from "../flags/index.ts";
import { webhookHandler } from "./webhook-handler.ts";
import { webhookMetrics } from "./webhook-metrics.ts";
import { WEBHOOK_PAIR } from "./webhook-settings.ts";

/** Milliseconds in which requests may end after the daemon is told to stop. */
const drainMs = 2000;

/** What the webhook port serves, and how. */
export interface ServeWebhooksOptions {
  readonly flags: Pick<
    FlagValues<typeof cloudControllerManagerFlags>,
    | "webhook-bind-address"
    | "webhook-cert-dir"
    | "webhook-secure-port"
    | "webhook-tls-cert-file"
    | "webhook-tls-private-key-file"
  >;
  /** By name. */
  readonly webhooks: Readonly<Record<string, CloudWebhook>>;
  /** The provider, if there is one now. */
  readonly cloud: () => CloudProvider | undefined;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Closes the port. */
  readonly signal: AbortSignal;
}

/**
 * Opens the port of the webhooks, if any is enabled. Like the original it asks no client for credentials: a webhook learns nothing
 * that its caller did not send.
 *
 * @throws TlsMaterialError for invalid certificate files; ConfigurationError when the address cannot be listened on
 */
export async function serveWebhooks(options: ServeWebhooksOptions): Promise<void> {
  const { flags, webhooks, cloud, metrics, logger, signal } = options;
  const names = Object.keys(webhooks);
  if (names.length === 0 || flags["webhook-secure-port"] === 0) return;
  const serving = await createSecureServing(
    {
      bindAddress: flags["webhook-bind-address"],
      port: flags["webhook-secure-port"],
      tls: {
        certFile: flags["webhook-tls-cert-file"],
        keyFile: flags["webhook-tls-private-key-file"],
        certDir: flags["webhook-cert-dir"],
        pairName: WEBHOOK_PAIR,
      },
      logger,
      signal,
    },
    webhookHandler({ webhooks, cloud, metrics: webhookMetrics(metrics), logger }),
  );
  serving.server.on("clientError", refuseBadHttp);
  signal.addEventListener("abort", () => void serving.drain(drainMs), { once: true });
  logger.info("Serving webhooks", { address: serving.address, port: serving.port, webhooks: names });
}
