import https from "node:https";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import { checkServerName } from "@orchernetes/tls";
import type { JSONWebKeySet } from "jose";
import { joseLibrary } from "../../service-accounts/jose-library.ts";

/** Interval between attempts in milliseconds while no keys are known. */
const RETRY_MS = 10_000;
/** Interval between refreshes in milliseconds. Keys that the issuer has withdrawn remain valid for up to this time. */
const REFRESH_MS = 5 * 60_000;
/** Minimum interval between requests in milliseconds, however many tokens name unknown keys: clients must not make this server flood the issuer. */
const PAUSE_MS = 1000;
/** Time limit of a request, in milliseconds. */
const TIMEOUT_MS = 30_000;
/** Maximum size of a document of the issuer in bytes, which is enough for a thousand keys. */
const MAX_BYTES = 1024 * 1024;

/** The keys of an issuer in the form that `jwtVerify` takes. */
export type KeySet = ReturnType<typeof import("jose").createLocalJWKSet>;

/** Options of {@link IssuerKeys}. */
export interface IssuerKeysOptions {
  /** `--oidc-issuer-url`: URL of the issuer. */
  readonly issuer: string;
  /** Authorities of its certificate, PEM. @default those of the host */
  readonly ca?: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly logger: Pick<Logger, "info" | "warn">;
}

/**
 * The keys of an OpenID Connect issuer. They are fetched in the background from the start, periodically, and when a token names an unknown
 * key. While the issuer does not respond, the last keys stay in effect.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #agent: https.Agent;
  #keys: KeySet | undefined;
  #fetching: Promise<void> | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    const { ca, signal } = options;
    this.#agent = new https.Agent({
      keepAlive: false,
      minVersion: "TLSv1.2",
      checkServerIdentity: checkServerName,
      ...(ca !== undefined && { ca }),
    });
    signal.addEventListener("abort", () => this.#agent.destroy(), { once: true });
  }

  /** The current keys; undefined until the issuer has responded for the first time. */
  get current(): KeySet | undefined {
    return this.#keys;
  }

  /** Fetches the keys now and then periodically, until the signal aborts. */
  async follow(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      await this.refresh();
      await clock.sleep(this.#keys === undefined ? RETRY_MS : REFRESH_MS, signal).catch(() => undefined);
    }
  }

  /** Fetches the keys again. Concurrent callers share a fetch, and there is at most one per second. It never rejects. */
  refresh(): Promise<void> {
    this.#fetching ??= this.#refresh().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #refresh(): Promise<void> {
    const { clock, signal, issuer, logger } = this.#options;
    try {
      const pauseMs = this.#lastMs + PAUSE_MS - clock.monotonicMs();
      if (pauseMs > 0) await clock.sleep(pauseMs, signal);
      this.#lastMs = clock.monotonicMs();
      const first = this.#keys === undefined;
      this.#keys = await this.#fetchKeys();
      if (first) logger.info("The keys of the OpenID Connect issuer are known", { issuer });
    } catch (error) {
      if (!signal.aborted)
        logger.warn("The keys of the OpenID Connect issuer cannot be fetched; it will be tried again", {
          issuer,
          reason: messageOf(error),
        });
    }
  }

  async #fetchKeys(): Promise<KeySet> {
    const { issuer } = this.#options;
    const discovery = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const { issuer: named, jwks_uri: uri } = Object(await this.#document(discovery));
    if (named !== issuer)
      throw new Error(`${discovery} is of issuer ${JSON.stringify(named)}; want ${JSON.stringify(issuer)}`);
    if (typeof uri !== "string" || !URL.canParse(uri) || new URL(uri).protocol !== "https:")
      throw new Error(`${discovery} has jwks_uri ${JSON.stringify(uri)}; want an https:// URL`);
    // This throws if the document is not a key set.
    return joseLibrary().createLocalJWKSet((await this.#document(uri)) as JSONWebKeySet);
  }

  #document(url: string): Promise<unknown> {
    const { clock, signal } = this.#options;
    return new Promise((resolve, reject) => {
      const request = https.get(url, { agent: this.#agent, signal, headers: { accept: "application/json" } });
      const fail = (error: Error): void => {
        timer.clear();
        request.destroy();
        reject(new Error(`Get ${url}: ${error.message}`, { cause: error }));
      };
      const timer = clock.setTimeout(() => fail(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
      request.on("error", fail);
      request.once("response", (message) => {
        const chunks: Buffer[] = [];
        let length = 0;
        message.on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (length > MAX_BYTES) fail(new Error(`the answer is longer than ${MAX_BYTES} bytes`));
          else chunks.push(chunk);
        });
        message.once("close", () => message.complete || fail(new Error("the connection ended before the answer did")));
        message.once("error", fail);
        message.once("end", () => {
          if (message.statusCode !== 200) return fail(new Error(`found status ${message.statusCode}; want 200`));
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")));
            timer.clear();
          } catch {
            fail(new Error("the answer is not JSON"));
          }
        });
      });
    });
  }
}
