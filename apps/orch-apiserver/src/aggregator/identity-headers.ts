import type { OutgoingHttpHeaders } from "node:http";
import { validateHeaderName, validateHeaderValue } from "node:http";
import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest } from "@orchernetes/kernel";
import { forwardableHeaders } from "../node-proxy/http-proxy.ts";
import { type IdentifyingHeaders, isIdentifying } from "../node-proxy/identifying-headers.ts";

/** The user, as extension servers see it; they trust any client that has the proxy's client certificate. */
export type Identity = Pick<UserInfo, "name" | "groups" | "extra">;

/** A header's bytes are UTF-8; Node writes each character as one byte. */
const bytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** Percent-encodes characters that are not allowed in a header's name, and the percent sign. */
function escapeKey(key: string): string {
  const token = /^[a-z0-9!#$&'*+.^_`|~-]$/i;
  return [...Buffer.from(key, "utf8")]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return token.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

/**
 * Headers that identify the user to an extension server.
 *
 * @throws TypeError for names that no header can hold
 */
export function identityHeaders({ name, groups, extra }: Identity): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { "x-remote-user": bytes(name) };
  if (groups.length > 0) headers["x-remote-group"] = groups.map(bytes);
  for (const [key, values] of Object.entries(extra)) {
    const header = `x-remote-extra-${escapeKey(key)}`.toLowerCase();
    validateHeaderName(header);
    headers[header] = values.map(bytes);
  }
  for (const [header, value] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value]) validateHeaderValue(header, String(one));
  return headers;
}

/** More servers than this have passed a request on: they pass it round in a circle. */
const maxForwarders = 10;

/** Parts of {@link forwardedHeaders}. */
export interface Forwarding {
  readonly request: HttpRequest;
  readonly user: Identity;
  readonly auditId: string;
  readonly identifying: IdentifyingHeaders;
}

/**
 * Headers of a request that is passed on: the client's without those of the connection, its credentials and everything that claims to
 * be an identity; the identity that this server found.
 *
 * @throws TypeError for identities that no header can hold, Error for requests that go round in a circle
 */
export function forwardedHeaders({ request, user, auditId, identifying }: Forwarding): OutgoingHttpHeaders {
  const headers = forwardableHeaders(request);
  for (const name of Object.keys(headers)) if (isIdentifying(name, identifying)) delete headers[name];
  // This server has answered it already.
  delete headers.expect;
  const before = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (before.length >= maxForwarders) throw new Error(`the request was already forwarded ${before.length} times`);
  const from = request.socket?.remoteAddress;
  if (from !== undefined) headers["x-forwarded-for"] = [...before, from].join(", ");
  return { ...headers, ...identityHeaders(user), "audit-id": auditId };
}
