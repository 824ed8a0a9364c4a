import { goQuote } from "@orchernetes/apimachinery";
import { type Clock, messageOf } from "@orchernetes/kernel";
import { createReviewClient, type ReviewClient, type ReviewClientOptions } from "../../webhook/review-client.ts";
import { ReviewError } from "../../webhook/review-error.ts";
import type { PluginSettings } from "../shared/plugin.ts";
import type { WebhookCredentials } from "./webhook-credentials.ts";
import type { ServicePort, WebhookTarget } from "./webhook-target.ts";

/** Options of {@link WebhookClients}. */
export interface WebhookClientsOptions {
  readonly credentials: WebhookCredentials;
  /** Returns the address of a service. @throws Error if it has none */
  readonly resolve: (
    service: ServicePort,
    signal: AbortSignal,
  ) => Promise<{ readonly host: string; readonly port: number }>;
  /** Opens connections to services (selection `cluster`) and to other hosts (`controlplane`). */
  readonly dialer: PluginSettings["dialer"];
  /** Called for each request by what is deprecated in the certificate of a webhook. */
  readonly onDeprecated: NonNullable<ReviewClientOptions["onDeprecated"]>;
  readonly clock: Clock;
  /** Closes all connections. */
  readonly signal: AbortSignal;
}

/** Time limit of calls without a limit, in milliseconds. */
const TIMEOUT_MS = 30_000;
const USER_AGENT = "orch-apiserver-admission";

interface KnownClient {
  readonly client: ReviewClient;
  calls: number;
  retired: boolean;
}

/** The connections to webhooks. Each target has a pool of its own, so that one that is slow or down does not delay the others. */
export class WebhookClients {
  readonly #options: WebhookClientsOptions;
  readonly #known = new Map<string, KnownClient>();

  constructor(options: WebhookClientsOptions) {
    this.#options = options;
  }

  /**
   * Posts a review.
   *
   * @param limits the webhook gets the time limit in the query, in whole seconds
   * @throws Error with the URL if there is no usable response; its cause is the ReviewError, if the webhook was reached
   */
  async post(
    target: WebhookTarget,
    body: object,
    limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<unknown> {
    let query = "";
    try {
      query = `${new URL(target.url).pathname === "/" ? "/" : ""}?timeout=${Math.ceil(limits.timeoutMs / 1000)}s`;
      return await this.#post(target, query, body, limits);
    } catch (cause) {
      throw new Error(`Post ${goQuote(target.url + query)}: ${reasonOf(cause)}`, { cause });
    }
  }

  async #post(
    target: WebhookTarget,
    path: string,
    body: object,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<unknown> {
    const known = this.#clientOf(target);
    known.calls++;
    try {
      return await known.client.post(path, body, limits);
    } finally {
      known.calls--;
      if (known.retired && known.calls === 0) known.client.close();
    }
  }

  /** Closes the connections to all other targets after their calls in flight. */
  retain(targets: Iterable<WebhookTarget>): void {
    const keys = new Set(Array.from(targets, ({ key }) => key));
    for (const [key, known] of this.#known) {
      if (keys.has(key)) continue;
      this.#known.delete(key);
      known.retired = true;
      if (known.calls === 0) known.client.close();
    }
  }

  #clientOf(target: WebhookTarget): KnownClient {
    const known = this.#known.get(target.key);
    if (known !== undefined) return known;
    const made = { client: createReviewClient(this.#clientOptions(target)), calls: 0, retired: false };
    this.#known.set(target.key, made);
    return made;
  }

  #clientOptions({ url, service, caBundle, hostPort }: WebhookTarget): ReviewClientOptions {
    const { credentials, resolve, dialer, onDeprecated, clock, signal } = this.#options;
    const dial = dialer(service === undefined ? "controlplane" : "cluster");
    return {
      endpoint: url,
      ...credentials(hostPort),
      ...(caBundle !== undefined && { caBundle }),
      ...(dial !== undefined && { dial }),
      ...(service !== undefined && { address: (until) => resolve(service, until) }),
      userAgent: USER_AGENT,
      timeoutMs: TIMEOUT_MS,
      onDeprecated,
      clock,
      signal,
    };
  }
}

/** Returns why there is no usable response. For a timeout these are upstream's words, because clients look for them. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ReviewError)) return messageOf(error);
  return error.failure === "timeout" ? "context deadline exceeded" : error.message.replace(/^Post \S+: /, "");
}
