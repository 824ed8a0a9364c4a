import { certificateIdentity, peerChain, verifyClientCertificate } from "@orchernetes/tls";
import type { HttpRequest } from "../serving/http.ts";
import { type Roots, tlsSocketOf } from "./certificate-authenticator.ts";
import { type Authenticator, InvalidCredentialsError } from "./interfaces.ts";

/** The `--requestheader-*` flags. */
export interface RequestHeaderOptions {
  /** Authorities of `--requestheader-client-ca-file`. */
  readonly roots: Roots;
  /** Common names a front proxy may bear; empty allows all. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  /** @default Date.now */
  readonly now?: () => number;
}

/**
 * Believes the identity headers of front proxies: only of those whose certificate the proxy authorities vouch for. From anyone
 * else the headers mean nothing.
 */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const { roots, allowedNames, now = Date.now } = options;
  return {
    async authenticate(request) {
      const name = first(request, options.usernameHeaders);
      if (name === "") return undefined;
      const chain = peerChain(tlsSocketOf(request));
      const leaf = chain[0];
      if (leaf === undefined) return undefined;
      // Not an error: the same certificate may be a user's own, for the next authenticator to know.
      if (!verifyClientCertificate(chain, roots(), now())) return undefined;
      const { commonName } = certificateIdentity(leaf);
      if (allowedNames.length > 0 && !allowedNames.includes(commonName)) {
        throw new InvalidCredentialsError(`x509: subject with cn=${commonName} is not in the allowed list`);
      }
      return {
        name,
        groups: options.groupHeaders.flatMap((header) => values(request, header)),
        extra: extras(request, options),
      };
    },
  };
}

function values(request: HttpRequest, header: string): readonly string[] {
  const value = request.headers[header.toLowerCase()];
  // Both protocols join repeated fields with ", ", which no user or group name of the API can be told apart from: read raw.
  const raw = request.rawHeaders;
  const found: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() === header.toLowerCase()) found.push(raw[i + 1] ?? "");
  }
  return found.length > 0 || value === undefined ? found : [value].flat();
}

function first(request: HttpRequest, headers: readonly string[]): string {
  for (const header of headers) {
    const [value] = values(request, header);
    if (value !== undefined && value !== "") return value;
  }
  return "";
}

function extras(request: HttpRequest, options: RequestHeaderOptions): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const header of Object.keys(request.headers)) {
    const prefix = options.extraHeaderPrefixes.find((candidate) => header.startsWith(candidate.toLowerCase()));
    if (prefix === undefined) continue;
    found.set(unescapeKey(header.slice(prefix.length)), values(request, header));
  }
  return Object.fromEntries(found);
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
