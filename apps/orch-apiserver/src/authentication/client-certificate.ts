import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { Authenticator, AuthResult, HttpRequest } from "@orchernetes/apiserver";
import { certificateIdentity } from "@orchernetes/tls";

const NO_OPINION: AuthResult = Object.freeze({ type: "noOpinion" });

/** HTTP/2 shows the session's TLS socket through a proxy that has the methods of the real one. */
function tlsSocketOf(request: HttpRequest): TLSSocket | undefined {
  const { socket } = request;
  return socket !== undefined && "getPeerX509Certificate" in socket ? (socket as TLSSocket) : undefined;
}

const endsAt = (certificate: X509Certificate): number => Date.parse(certificate.validTo);

/** What a connection's certificate says, and until when. */
interface Known {
  readonly result: AuthResult;
  readonly untilMs: number;
}

/**
 * The user is the common name of a client certificate signed by `--client-ca-file`, its groups the organizations. The TLS
 * layer verifies chain and dates at the handshake (against the front proxy's authority too, which is why the issuer is
 * looked at again here); the identity is read once per connection and ends with the certificate.
 *
 * @param onUse told of each request with a certificate, and for how long that still counts
 */
export function clientCertificateAuthenticator(
  clientCaPem: string,
  onUse: (remainingSeconds: number) => void = () => {},
): Authenticator {
  const pems = clientCaPem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  const authorities = pems.map((pem) => new X509Certificate(pem));
  const known = new WeakMap<object, Known>();

  const chainsToClientCa = (socket: TLSSocket): boolean => {
    for (let peer = socket.getPeerX509Certificate(), depth = 0; peer !== undefined && depth < 8; depth++) {
      const here = peer;
      if (authorities.some((ca) => here.raw.equals(ca.raw) || (here.checkIssued(ca) && here.verify(ca.publicKey))))
        return true;
      const issuer = here.issuerCertificate;
      peer = issuer === here ? undefined : issuer;
    }
    return false;
  };

  const identify = (socket: TLSSocket): Known => {
    const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
    if (certificate === undefined || !chainsToClientCa(socket))
      return { result: NO_OPINION, untilMs: Number.POSITIVE_INFINITY };
    const { commonName, organizations } = certificateIdentity(certificate);
    const result: AuthResult =
      commonName === ""
        ? NO_OPINION
        : { type: "authenticated", user: { name: commonName, groups: organizations, extra: {} } };
    return { result, untilMs: endsAt(certificate) };
  };

  return {
    authenticate(request) {
      const socket = tlsSocketOf(request);
      if (socket === undefined) return NO_OPINION;
      let entry = known.get(socket);
      if (entry === undefined) {
        entry = identify(socket);
        known.set(socket, entry);
      }
      const remainingMs = entry.untilMs - Date.now();
      if (remainingMs < Number.POSITIVE_INFINITY) onUse(remainingMs / 1000);
      return remainingMs > 0 ? entry.result : { type: "rejected", reason: "the client certificate has expired" };
    },
  };
}
