import type { Socket } from "node:net";
import type { Clock } from "@orchernetes/kernel";
import { type CertificateDeprecation, deprecationOfError, deprecationsOfPeer } from "@orchernetes/tls";
import { exchange } from "./exchange.ts";
import { JsonText } from "./json-text.ts";
import { createReviewAgents, type ReviewConnectionOptions } from "./review-agents.ts";
import { askedDelayMs, isRetriable, ReviewError } from "./review-error.ts";

/** How failed attempts are retried, with growing delays. */
export interface ReviewRetry {
  /** Maximum number of attempts, including the first. */
  readonly attempts: number;
  readonly initialMs: number;
  readonly factor: number;
  /** Each delay is longer by a random part of up to this fraction, so that servers do not retry at the same time. */
  readonly jitter: number;
}

/** The retries of reviews on which a request waits: after 0.5, 0.75, 1.1 and 1.7 seconds. */
export const reviewRetry: ReviewRetry = Object.freeze({ attempts: 5, initialMs: 500, factor: 1.5, jitter: 0.2 });
const once: ReviewRetry = Object.freeze({ ...reviewRetry, attempts: 1 });

/** The address of a service, and the credentials and the TLS settings for it. */
export interface ReviewEndpoint extends Pick<ReviewConnectionOptions, "tls" | "dial"> {
  /** `https://host:port/path`; `http://` is for services of the same host. */
  readonly endpoint: string;
  /** Bearer token; called for each request. */
  readonly token?: string | (() => string | undefined);
  readonly basicAuth?: { readonly username: string; readonly password: string };
  /** Called for each request that the certificate of the service makes fail, or would make fail if it were checked. */
  readonly onDeprecated?: (what: CertificateDeprecation) => void;
}

/** Options of {@link createReviewClient}. */
export interface ReviewClientOptions extends ReviewEndpoint, ReviewConnectionOptions {
  /** Returns the address to connect to, such as that of a Service. The certificate is still checked against the host of the endpoint. */
  readonly address?: (signal: AbortSignal) => Promise<{ readonly host: string; readonly port: number }>;
  /** Header User-Agent. @default none */
  readonly userAgent?: string;
  /** Time limit of a review with all its attempts, in milliseconds. */
  readonly timeoutMs: number;
  /** @default one attempt */
  readonly retry?: ReviewRetry;
  /** Maximum size of a response, in bytes. @default 3 MiB */
  readonly maxBytes?: number;
  /** Called after each attempt with the HTTP status (0 without a response) and the time that it took. */
  readonly onAttempt?: (status: number, elapsedMs: number) => void;
  readonly clock: Clock;
  /** Ends reviews and closes connections. */
  readonly signal: AbortSignal;
  /** Numbers in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/** Limits of a review. */
interface PostOptions {
  /** @default that of the client */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Sends reviews (TokenReview, SubjectAccessReview, AdmissionReview, events for audit …) to one service. */
export interface ReviewClient {
  /**
   * Posts JSON and returns the JSON of the response. A body of type JsonText is sent unchanged.
   *
   * @param path appended to the endpoint's; "" posts to the endpoint itself
   * @throws ReviewError if there is no usable response; the reason of the signal if it aborts
   */
  post(path: string, body: unknown, options?: PostOptions): Promise<unknown>;
  /** Closes idle connections. */
  close(): void;
}

const MAX_BYTES = 3 * 1024 * 1024;
/** Attempts for which a service may ask by Retry-After, for one review. */
const MAX_ASKED_ATTEMPTS = 10;

/**
 * Creates a client of one service. Connections are reused; redirects are followed within the service; an answer is JSON of limited
 * length. A service that is slow or dead holds its own requests only, each for `timeoutMs` at most.
 */
export function createReviewClient(options: ReviewClientOptions): ReviewClient {
  const { clock, timeoutMs, retry = once, onAttempt, onDeprecated, random = Math.random } = options;
  const url = new URL(options.endpoint);
  const base = url.pathname.replace(/\/+$/, "");
  const agents = createReviewAgents(options, url);
  options.signal.addEventListener("abort", () => agents.close(), { once: true });
  const onConnection = onDeprecated && ((socket: Socket) => deprecationsOfPeer(socket).forEach(onDeprecated));

  const attempt = async (target: string, payload: string, signal: AbortSignal): Promise<unknown> => {
    const startMs = clock.monotonicMs();
    let status = 0;
    try {
      const address = await options.address?.(signal);
      const answer = await exchange({
        url,
        ...address,
        path: target,
        headers: headersOf(options, url),
        payload,
        agent: agents.current(),
        maxBytes: options.maxBytes ?? MAX_BYTES,
        signal,
        onConnection,
      });
      status = answer.status;
      return answer.body;
    } catch (error) {
      if (error instanceof ReviewError) status = error.status;
      const deprecated = onDeprecated && deprecationOfError(error);
      if (deprecated !== undefined) onDeprecated?.(deprecated);
      throw error;
    } finally {
      onAttempt?.(status, clock.monotonicMs() - startMs);
    }
  };

  const attempts = async (target: string, payload: string, signal: AbortSignal): Promise<unknown> => {
    let delayMs = retry.initialMs;
    for (let left = retry.attempts - 1, asked = 0; ; ) {
      try {
        return await attempt(target, payload, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        const askedMs = askedDelayMs(error);
        if (askedMs !== undefined && asked++ < MAX_ASKED_ATTEMPTS) {
          await clock.sleep(askedMs, signal);
          continue;
        }
        if (left-- <= 0 || !isRetriable(error)) throw error;
        await clock.sleep(delayMs * (1 + retry.jitter * random()), signal);
        delayMs *= retry.factor;
      }
    }
  };

  return {
    async post(path, body, limits = {}) {
      const limitMs = limits.timeoutMs ?? timeoutMs;
      const late = new AbortController();
      const timer = clock.setTimeout(() => late.abort(), limitMs);
      const asked = limits.signal === undefined ? [] : [limits.signal];
      const signal = AbortSignal.any([late.signal, options.signal, ...asked]);
      const target = path === "" ? url.pathname + url.search : base + path;
      try {
        return await attempts(target, body instanceof JsonText ? body.text : JSON.stringify(body), signal);
      } catch (error) {
        // If both have ended, the reason of the caller says more than the time limit.
        limits.signal?.throwIfAborted();
        options.signal.throwIfAborted();
        if (!late.signal.aborted) throw error;
        throw new ReviewError(`Post ${url.origin}${target}: no answer within ${limitMs} ms`, {
          failure: "timeout",
          cause: error,
        });
      } finally {
        timer.clear();
      }
    },
    close: () => agents.close(),
  };
}

function headersOf({ token, basicAuth, userAgent }: ReviewClientOptions, url: URL): Record<string, string> {
  const bearer = typeof token === "function" ? token() : token;
  const { username = "", password = "" } = basicAuth ?? {};
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const authorization = bearer !== undefined ? `Bearer ${bearer}` : basicAuth && basic;
  return {
    host: url.host,
    accept: "application/json",
    "content-type": "application/json",
    ...(userAgent !== undefined && { "user-agent": userAgent }),
    ...(authorization !== undefined && { authorization }),
  };
}
