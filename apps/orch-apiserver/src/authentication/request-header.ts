import { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { TLSSocket } from "node:tls";
import type { Authenticator, AuthResult } from "@orchernetes/apiserver";
import { certificateIdentity } from "@orchernetes/tls";

/** Settings of the `--requestheader-*` flags. Header names are compared without regard to case. */
export interface RequestHeaderOptions {
  /** PEM bundle of the authorities whose clients may speak for others. */
  readonly caPem: string;
  /** Common names that may; empty: any that the bundle verifies. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeadersPrefixes: readonly string[];
}

const values = (headers: IncomingHttpHeaders, name: string): readonly string[] => {
  const value = headers[name.toLowerCase()];
  if (value === undefined) return [];
  // Node joins repeated headers with ", ".
  return (Array.isArray(value) ? value : value.split(",")).map((v) => v.trim()).filter((v) => v !== "");
};

function identityOf(headers: IncomingHttpHeaders, options: RequestHeaderOptions): AuthResult {
  const name = options.usernameHeaders.flatMap((h) => values(headers, h))[0];
  if (name === undefined) return { type: "noOpinion" };
  const extra: Record<string, readonly string[]> = Object.create(null);
  for (const prefix of options.extraHeadersPrefixes)
    for (const header of Object.keys(headers))
      if (header.startsWith(prefix.toLowerCase()) && header.length > prefix.length) {
        const key = safeDecode(header.slice(prefix.length));
        extra[key] = [...(extra[key] ?? []), ...values(headers, header)];
      }
  return {
    type: "authenticated",
    user: { name, groups: options.groupHeaders.flatMap((h) => values(headers, h)), extra },
  };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Believes the identity headers of a front proxy whose client certificate is signed by the request-header authority (a
 * different one than `--client-ca-file`: whoever holds such a certificate can be anybody).
 */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const pems = options.caPem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  const authorities = pems.map((pem) => new X509Certificate(pem));
  const trusted = new WeakMap<object, boolean>();
  const isTrusted = (socket: TLSSocket): boolean => {
    const certificate = "getPeerX509Certificate" in socket ? socket.getPeerX509Certificate() : undefined;
    if (certificate === undefined) return false;
    const now = Date.now();
    if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo)) return false;
    if (!authorities.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey))) return false;
    const { allowedNames } = options;
    return allowedNames.length === 0 || allowedNames.includes(certificateIdentity(certificate).commonName);
  };
  return {
    authenticate(request) {
      const { socket } = request;
      if (socket === undefined || options.usernameHeaders.every((h) => request.headers[h.toLowerCase()] === undefined))
        return { type: "noOpinion" };
      let ok = trusted.get(socket);
      if (ok === undefined) {
        ok = isTrusted(socket as TLSSocket);
        trusted.set(socket, ok);
      }
      return ok ? identityOf(request.headers, options) : { type: "noOpinion" };
    },
  };
}
