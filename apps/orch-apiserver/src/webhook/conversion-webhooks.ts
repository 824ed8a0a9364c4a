import type { apiextensions } from "@orchernetes/api";
import type { ConversionWebhooks } from "@orchernetes/apiextensions";
import type { Registry } from "@orchernetes/apiserver";
import type { Clock, Dialer } from "@orchernetes/kernel";
import { type Routing, resolveService } from "../aggregator/service-resolver.ts";
import type { DestinationResolver } from "../dial/destination-resolver.ts";
import { createReviewClient, type ReviewClient, type ReviewClientOptions } from "./review-client.ts";
import { statusError } from "./status-error.ts";

/** Options of {@link conversionWebhooks}. */
export interface ConversionWebhookOptions {
  readonly registry: Registry;
  /** Whether services are reached at their cluster IPs or at endpoints. */
  readonly routing: Routing;
  /** Checks and resolves the addresses of services. */
  readonly destinations: DestinationResolver;
  /** Opens connections to URLs (egress selection `controlplane`). @default directly */
  readonly dial?: Dialer | undefined;
  readonly clock: Clock;
  /** Counts calls. */
  readonly observe: NonNullable<ConversionWebhooks["observe"]>;
  /** Called for each request by what is deprecated in the webhook's certificate. */
  readonly onDeprecated: NonNullable<ReviewClientOptions["onDeprecated"]>;
  readonly signal: AbortSignal;
}

/** Time limit of a review, which webhooks get in the query as upstream sends it. */
const TIMEOUT_SECONDS = 30;
const TIMEOUT = `timeout=${TIMEOUT_SECONDS}s`;
/** Maximum size of a response. A review has at most 1 MiB of JSON, or one object, which may grow when it is converted. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const DEFAULT_PORT = 443;

/** Calls the conversion webhooks of custom resources. Each definition has a pool of connections of its own. */
export function conversionWebhooks(options: ConversionWebhookOptions): ConversionWebhooks {
  const { clock, observe, onDeprecated, signal } = options;
  return {
    observe,
    client(definition) {
      const config = definition.spec.conversion?.webhook?.clientConfig ?? {};
      const authorities = Buffer.from(config.caBundle ?? "", "base64").toString("utf8");
      let client: ReviewClient | undefined;
      // Names of services may be any text, also such as no URL can hold. Then reviews fail, and not the whole resource.
      const connected = (): ReviewClient => {
        client ??= createReviewClient({
          ...targetOf(config, options),
          ...(authorities.trim() !== "" && { caBundle: authorities }),
          timeoutMs: TIMEOUT_SECONDS * 1000,
          maxBytes: MAX_ANSWER_BYTES,
          onDeprecated,
          clock,
          signal,
        });
        return client;
      };
      return {
        async post(review, until) {
          try {
            return await connected().post("", review, { signal: until });
          } catch (error) {
            throw statusError(error);
          }
        },
        close: () => client?.close(),
      };
    },
  };
}

/** Returns the URL of a webhook and how to connect to it. */
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
