import type { X509Certificate } from "node:crypto";
import { type Clock, type Connection, connectionOf, type OnConnection, tlsSocketOf } from "@orchernetes/kernel";
import { certificateIdentity, peerChain, type Subject, validity, verifyClientCertificate } from "@orchernetes/tls";

/** Returns the trusted authorities. It is called for each request, so that a reloaded bundle takes effect; a changed bundle is a new list. */
export type Roots = () => readonly X509Certificate[];

/** Result of verifying the certificate of a connection. */
export type PeerVerdict =
  /** The client presented no certificate. */
  | { readonly type: "none" }
  /** The certificate does not verify against a trusted authority, or is not for client authentication. */
  | { readonly type: "invalid" }
  | { readonly type: "verified"; readonly subject: Subject; readonly notAfterMs: number };

interface Known {
  readonly chain: readonly X509Certificate[];
  readonly roots: readonly X509Certificate[];
  readonly verdict: PeerVerdict;
  /** Whether it has ever been valid: requests that were authenticated then may still be in flight. */
  readonly wasVerified: boolean;
  readonly untilMs: number;
}

/** Age in milliseconds after which a verdict is computed again: certificates expire. */
const recheckAfterMs = 60_000;

const none: PeerVerdict = { type: "none" };
const invalid: PeerVerdict = { type: "invalid" };

/** Verifies client certificates against a bundle of authorities, and caches the verdict for each connection and version of the bundle. */
export class PeerCertificates {
  readonly #roots: Roots;
  readonly #clock: Pick<Clock, "now">;
  readonly #known = new WeakMap<Connection, Known>();

  constructor(roots: Roots, clock: Pick<Clock, "now">) {
    this.#roots = roots;
    this.#clock = clock;
  }

  /** The current verdict on the certificate of a request's connection. */
  verdictOf(request: OnConnection): PeerVerdict {
    const connection = connectionOf(request);
    const roots = this.#roots();
    // Without authorities there is nothing to verify certificates against, so they are ignored.
    if (roots.length === 0) return none;
    const now = this.#nowMs();
    const known = this.#known.get(connection);
    if (known !== undefined && known.roots === roots && now < known.untilMs) return known.verdict;
    const chain = known?.chain ?? peerChain(tlsSocketOf(request));
    if (chain.length === 0) return none;
    const verdict = judge(chain, roots, now);
    const expiresMs = verdict.type === "verified" ? verdict.notAfterMs : Number.POSITIVE_INFINITY;
    const wasVerified = known?.wasVerified === true || verdict.type === "verified";
    this.#known.set(connection, {
      chain,
      roots,
      verdict,
      wasVerified,
      untilMs: Math.min(now + recheckAfterMs, expiresMs),
    });
    return verdict;
  }

  /** Whether the certificate has authenticated requests of the connection, but no longer verifies. */
  hasLostTrust(connection: Connection): boolean {
    const known = this.#known.get(connection);
    if (known?.wasVerified !== true) return false;
    return judge(known.chain, this.#roots(), this.#nowMs()).type !== "verified";
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

function judge(chain: readonly X509Certificate[], roots: readonly X509Certificate[], nowMs: number): PeerVerdict {
  const [leaf] = chain;
  if (leaf === undefined) return none;
  if (!verifyClientCertificate(chain, roots, nowMs)) return invalid;
  return { type: "verified", subject: certificateIdentity(leaf), notAfterMs: validity(leaf).notAfterMs };
}
