import type { X509Certificate } from "node:crypto";
import type { Client } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";
import { type CertificatePair, type Followed, parseServingPair, type ServingPair, validity } from "@orchernetes/tls";
import type { CertificateStore } from "./certificate-store.ts";
import { requestCertificate } from "./request-certificate.ts";
import { isAsWanted, rotationTimeMs, type WantedCertificate } from "./wanted-certificate.ts";

/** Bounds of the back-off after a failed request. */
const retryMs = 2000;
const maxRetryMs = 32_000;
/** Interval at which the clock is compared with the time of the next renewal. */
const clockCheckMs = 60_000;

/** What a {@link CertificateManager} keeps, and where. */
export interface CertificateManagerOptions {
  readonly wanted: WantedCertificate;
  readonly store: CertificateStore;
  /** A pair to use while the store has none that is valid; it is replaced at once. */
  readonly initial?: CertificatePair | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/**
 * A certificate that the agent requests through the certificates API, and renews before it expires. A failed request is repeated;
 * meanwhile the previous certificate stays in use, even after its expiry.
 */
export class CertificateManager implements Followed<CertificatePair | undefined> {
  readonly #options: CertificateManagerOptions;
  readonly #listeners: ((current: CertificatePair | undefined, former: CertificatePair | undefined) => void)[] = [];
  readonly #replaced: ((ageMs: number) => void)[] = [];
  readonly #failed: (() => void)[] = [];
  #pair: ServingPair | undefined;
  #isTemporary = false;

  /** Reads the store. A stored pair that cannot be used is logged and replaced. */
  constructor(options: CertificateManagerOptions) {
    this.#options = options;
    const { initial } = options;
    this.reload();
    // With an expired certificate nothing can be requested. The initial one may be younger.
    const isValid = this.#pair !== undefined && (this.expiryMs() ?? 0) > options.clock.nowMs();
    if (isValid || initial === undefined) return;
    this.#pair = parseServingPair(initial, { cert: "client-certificate", key: "client-key" });
    this.#isTemporary = true;
  }

  /** Reads the store again, into which another part of the agent has saved a pair. */
  reload(): void {
    const { store, logger } = this.#options;
    try {
      this.#pair = store.load();
      this.#isTemporary = false;
    } catch (error) {
      logger.error(error, "A stored certificate cannot be used and will be replaced", { file: store.current });
    }
  }

  /** The certificate in use, with its key; undefined until one was issued. It stays the same object until it is renewed. */
  readonly current = (): CertificatePair | undefined => this.#pair;

  /** Registers a listener that is called after each renewal. */
  onChange(listener: (current: CertificatePair | undefined, former: CertificatePair | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /** Registers a listener that is called with the age of each certificate that is replaced, in milliseconds. */
  onReplaced(listener: (ageMs: number) => void): void {
    this.#replaced.push(listener);
  }

  /** Registers a listener that is called after each request that failed. */
  onFailure(listener: () => void): void {
    this.#failed.push(listener);
  }

  /** The certificate in use; undefined without one. */
  readonly leaf = (): X509Certificate | undefined => this.#pair?.chain[0];

  /** When the certificate in use expires, in milliseconds since the epoch; undefined without one. */
  expiryMs(): number | undefined {
    const leaf = this.leaf();
    return leaf && validity(leaf).notAfterMs;
  }

  /** When the certificate is to be replaced, in milliseconds since the epoch; 0 for at once. */
  rotationTimeMs(): number {
    const { wanted, clock, random = Math.random } = this.#options;
    const [leaf] = this.#pair?.chain ?? [];
    if (leaf === undefined || this.#isTemporary || !isAsWanted(leaf, wanted)) return 0;
    return validity(leaf).notAfterMs <= clock.nowMs() ? 0 : rotationTimeMs(leaf, random());
  }

  /** Requests a certificate whenever one is due, until the signal aborts; never rejects. */
  async run(client: Client, signal: AbortSignal): Promise<void> {
    const { clock, logger, wanted } = this.#options;
    let waitMs = retryMs;
    while (!signal.aborted) {
      try {
        const dueMs = this.rotationTimeMs();
        // The clock may be set, by months on a machine that starts without one, while timers wait.
        while (dueMs > clock.nowMs()) await clock.sleep(Math.min(dueMs - clock.nowMs(), clockCheckMs), signal);
        await this.#rotate(client, signal);
        waitMs = retryMs;
      } catch (error) {
        if (signal.aborted) return;
        for (const listener of this.#failed) listener();
        logger.error(error, "Could not renew a certificate", { signer: wanted.signerName, retryInMs: waitMs });
        await clock.sleep(waitMs, signal).catch(() => undefined);
        waitMs = Math.min(waitMs * 2, maxRetryMs);
      }
    }
  }

  async #rotate(client: Client, signal: AbortSignal): Promise<void> {
    const { wanted, store, clock, logger } = this.#options;
    const pair = await requestCertificate(wanted, { client, clock, logger, signal });
    const [leaf] = pair.chain;
    // Otherwise the next request would follow at once, in an endless loop.
    if (leaf === undefined || !isAsWanted(leaf, wanted) || validity(leaf).notAfterMs <= clock.nowMs())
      throw new Error(
        `signer ${wanted.signerName} issued a certificate for other names than requested, or an expired one`,
      );
    store.save(pair, clock.now());
    const former = this.#pair;
    const [formerLeaf] = former?.chain ?? [];
    this.#pair = pair;
    this.#isTemporary = false;
    logger.info("Renewed a certificate", { signer: wanted.signerName, notAfter: leaf.validTo });
    for (const listener of this.#listeners) listener(pair, former);
    if (formerLeaf === undefined) return;
    for (const listener of this.#replaced) listener(clock.nowMs() - validity(formerLeaf).notBeforeMs);
  }
}
