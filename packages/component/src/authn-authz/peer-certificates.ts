import type { X509Certificate } from "node:crypto";
import { certificateIdentity, peerChain, type Subject, validity, verifyClientCertificate } from "@orchernetes/tls";
import { type Connection, connectionOf, type OnConnection, tlsSocketOf } from "../serving/connection.ts";

/** Trusted authorities, asked at each request so that a reloaded bundle takes effect. A changed bundle is another list. */
export type Roots = () => readonly X509Certificate[];

/** What the certificate of a connection proves. */
export type PeerVerdict =
  /** The client showed no certificate. */
  | { readonly type: "none" }
  /** No trusted authority vouches for the certificate now, or it is not one for clients. */
  | { readonly type: "invalid" }
  | { readonly type: "verified"; readonly subject: Subject; readonly notAfterMs: number };

interface Known {
  readonly chain: readonly X509Certificate[];
  readonly roots: readonly X509Certificate[];
  readonly verdict: PeerVerdict;
  /** Whether it has ever proved somebody: what was begun then may still be under way. */
  readonly wasVerified: boolean;
  readonly untilMs: number;
}

/** A verdict rests on the clock, too: after this it is made again. */
const believeMs = 60_000;

const none: PeerVerdict = { type: "none" };
const invalid: PeerVerdict = { type: "invalid" };

/** Judges the certificates of clients against a bundle of authorities, once per connection and state of the bundle. */
export class PeerCertificates {
  readonly #roots: Roots;
  readonly #now: () => number;
  readonly #known = new WeakMap<Connection, Known>();

  constructor(roots: Roots, now: () => number = Date.now) {
    this.#roots = roots;
    this.#now = now;
  }

  /** What the certificate under a request proves now. */
  verdictOf(request: OnConnection): PeerVerdict {
    const connection = connectionOf(request);
    const roots = this.#roots();
    const now = this.#now();
    const known = this.#known.get(connection);
    if (known !== undefined && known.roots === roots && now < known.untilMs) return known.verdict;
    const chain = known?.chain ?? peerChain(tlsSocketOf(request));
    if (chain.length === 0) return none;
    const verdict = judge(chain, roots, now);
    const expiresMs = verdict.type === "verified" ? verdict.notAfterMs : Number.POSITIVE_INFINITY;
    const wasVerified = known?.wasVerified === true || verdict.type === "verified";
    this.#known.set(connection, { chain, roots, verdict, wasVerified, untilMs: Math.min(now + believeMs, expiresMs) });
    return verdict;
  }

  /** Whether requests of the connection were let in by its certificate, and would not be any more. */
  hasLost(connection: Connection): boolean {
    const known = this.#known.get(connection);
    if (known?.wasVerified !== true) return false;
    return judge(known.chain, this.#roots(), this.#now()).type !== "verified";
  }
}

function judge(chain: readonly X509Certificate[], roots: readonly X509Certificate[], nowMs: number): PeerVerdict {
  const [leaf] = chain;
  if (leaf === undefined) return none;
  if (!verifyClientCertificate(chain, roots, nowMs)) return invalid;
  return { type: "verified", subject: certificateIdentity(leaf), notAfterMs: validity(leaf).notAfterMs };
}
