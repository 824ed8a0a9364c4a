import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { certificateIdentity, peerChain, verifyClientCertificate } from "@orchernetes/tls";
import type { HttpRequest } from "../serving/http.ts";
import { type Authenticator, InvalidCredentialsError, type UserInfo } from "./interfaces.ts";

/** Trusted authorities, asked at each request so that a reloaded bundle takes effect. */
export type Roots = () => readonly X509Certificate[];

/** What a certificate was found to say is kept per connection: its chain cannot change while it lives. */
type Verdict = {
  readonly roots: readonly X509Certificate[];
  readonly user: UserInfo | undefined;
  readonly untilMs: number;
};

/** The TLS socket under a request; over HTTP/2 that of its session. */
export const tlsSocketOf = (request: HttpRequest): TLSSocket => {
  const session = "stream" in request ? request.stream.session : undefined;
  return (session?.socket ?? request.socket) as TLSSocket;
};

/**
 * Authenticates clients by certificate: the common name is the user, the organizations are the groups. A certificate that no
 * authority vouches for is an error; a connection without one is none of its business.
 */
export function certificateAuthenticator(roots: Roots, now: () => number = Date.now): Authenticator {
  const verdicts = new WeakMap<object, Verdict>();
  return {
    async authenticate(request) {
      const socket = tlsSocketOf(request);
      const session: object = "stream" in request ? (request.stream.session ?? socket) : socket;
      const trusted = roots();
      let verdict = verdicts.get(session);
      if (verdict === undefined || verdict.roots !== trusted || now() >= verdict.untilMs) {
        const chain = peerChain(socket);
        if (chain.length === 0) return undefined;
        verdict = { roots: trusted, user: identify(chain, trusted, now()), untilMs: now() + 60_000 };
        verdicts.set(session, verdict);
      }
      if (verdict.user === undefined) {
        throw new InvalidCredentialsError(
          "x509: the client certificate is not signed by a trusted authority, or not valid now",
        );
      }
      return verdict.user;
    },
  };
}

function identify(
  chain: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  nowMs: number,
): UserInfo | undefined {
  const leaf = chain[0];
  if (leaf === undefined || !verifyClientCertificate(chain, roots, nowMs)) return undefined;
  const { commonName, organizations } = certificateIdentity(leaf);
  return commonName === "" ? undefined : { name: commonName, groups: organizations };
}
