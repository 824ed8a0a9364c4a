import type { apiextensions } from "@orchernetes/api";
import type { ConversionWebhooks } from "@orchernetes/apiextensions";
import type { Registry } from "@orchernetes/apiserver";
import type { Clock, Dialer } from "@orchernetes/kernel";
import { type Routing, resolveService } from "../aggregator/service-resolver.ts";
import type { DestinationResolver } from "../dial/destination-resolver.ts";
import { createReviewClient, type ReviewClientOptions } from "./review-client.ts";
import { statusError } from "./status-error.ts";

/** What conversion webhooks are called with. */
export interface ConversionWebhookOptions {
  readonly registry: Registry;
  /** How the services of webhooks are reached. */
  readonly routing: Routing;
  /** Connects to services. */
  readonly destinations: DestinationResolver;
  /** Opens the connections to URLs. @default directly */
  readonly dial?: Dialer | undefined;
  readonly clock: Clock;
  /** Counts calls. */
  readonly observe: NonNullable<ConversionWebhooks["observe"]>;
  /** Called for each request by what is deprecated in the webhook's certificate. */
  readonly onDeprecated: NonNullable<ReviewClientOptions["onDeprecated"]>;
  readonly signal: AbortSignal;
}

/** Time for one review. Webhooks learn it from the query. */
const TIMEOUT_SECONDS = 30;
const TIMEOUT = `timeout=${TIMEOUT_SECONDS}s`;
/** A review has at most 1 MiB of JSON, or one object; its answer may be several times as long. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const DEFAULT_PORT = 443;

/** Calls the conversion webhooks of custom resources: each definition has connections of its own, which are reused. */
export function conversionWebhooks(options: ConversionWebhookOptions): ConversionWebhooks {
  const { clock, observe, onDeprecated, signal } = options;
  return {
    observe,
    client(definition) {
      const config = definition.spec.conversion?.webhook?.clientConfig ?? {};
      const authorities = Buffer.from(config.caBundle ?? "", "base64").toString("utf8");
      const client = createReviewClient({
        ...targetOf(config, options),
        ...(authorities.trim() !== "" && { caBundle: authorities }),
        timeoutMs: TIMEOUT_SECONDS * 1000,
        maxBytes: MAX_ANSWER_BYTES,
        onDeprecated,
        clock,
        signal,
      });
      return {
        async post(review, until) {
          try {
            return await client.post("", review, { signal: until });
          } catch (error) {
            throw statusError(error);
          }
        },
        close: () => client.close(),
      };
    },
  };
}

/** Where the webhook is, and where connections to it go. */
function targetOf(
  { url = "", service }: apiextensions.WebhookClientConfig,
  { registry, routing, destinations, dial }: ConversionWebhookOptions,
): Pick<ReviewClientOptions, "endpoint" | "address" | "dial"> {
  if (!service) return { endpoint: `${url.replace(/\/+$/, "")}?${TIMEOUT}`, ...(dial && { dial }) };
  const { namespace, name, port = DEFAULT_PORT, path = "" } = service;
  return {
    ...(destinations.dial && { dial: destinations.dial }),
    endpoint: `https://${name}.${namespace}.svc:${port}${path.replace(/^\/*/, "/")}?${TIMEOUT}`,
    address: async () => {
      const { host, port: found } = await resolveService(registry, { service: { namespace, name, port } }, routing);
      return destinations.resolve(host, found, "any", `service "${namespace}/${name}"`);
    },
  };
}
