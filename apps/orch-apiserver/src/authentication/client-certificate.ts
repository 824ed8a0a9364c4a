import type { TLSSocket } from "node:tls";
import type { Authenticator, AuthResult, HttpRequest } from "@orchernetes/apiserver";
import { certificateIdentity } from "@orchernetes/tls";

const NO_OPINION: AuthResult = Object.freeze({ type: "noOpinion" });

/** HTTP/2 hides the TLS socket behind the session's proxy; the session's own socket is the one that knows the peer. */
function tlsSocketOf(request: HttpRequest): TLSSocket | undefined {
  const { socket } = request;
  return socket !== undefined && "getPeerX509Certificate" in socket ? (socket as TLSSocket) : undefined;
}

function identify(socket: TLSSocket): AuthResult {
  if (!socket.authorized) return NO_OPINION;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return NO_OPINION;
  const { commonName, organizations } = certificateIdentity(certificate);
  if (commonName === "") return NO_OPINION;
  return { type: "authenticated", user: { name: commonName, groups: organizations, extra: {} } };
}

/**
 * The user is the common name of a verified client certificate, its groups the organizations. The TLS layer has checked
 * the chain against `--client-ca-file`; the identity is read once per connection.
 */
export function clientCertificateAuthenticator(): Authenticator {
  const known = new WeakMap<object, AuthResult>();
  return {
    authenticate(request) {
      const key = request.socket;
      if (key === undefined) return NO_OPINION;
      const before = known.get(key);
      if (before !== undefined) return before;
      const socket = tlsSocketOf(request);
      const result = socket === undefined ? NO_OPINION : identify(socket);
      known.set(key, result);
      return result;
    },
  };
}
