import type { OutgoingHttpHeaders } from "node:http";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { badRequest } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest } from "@orchernetes/kernel";
import { forwardableHeaders } from "../node-proxy/http-proxy.ts";
import { type IdentifyingHeaders, isIdentifying } from "../node-proxy/identifying-headers.ts";

/** The user in the headers to extension servers, which trust any client with the client certificate of the front proxy. */
export type Identity = Pick<UserInfo, "name" | "groups" | "extra">;

/** Node writes each character of a header as one byte, so the bytes of UTF-8 are passed as characters. */
const bytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** Percent-encodes the characters of a key that are not allowed in the name of a header, and the percent sign, as upstream. */
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
 * Returns the headers that name the user to an extension server.
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

/** Maximum number of servers that have forwarded a request. If there are more, they forward it in a cycle. */
const maxForwarders = 10;

/** Options of {@link forwardedHeaders}. */
export interface Forwarding {
  readonly request: HttpRequest;
  readonly user: Identity;
  readonly auditId: string;
  readonly identifying: IdentifyingHeaders;
}

/**
 * Returns the headers of a forwarded request: those of the client, without headers of the connection, credentials and headers that name a
 * user, and with the user that this server has authenticated.
 *
 * @throws TypeError for a user that cannot be written as headers, Error for a request that is forwarded in a cycle
 */
export function forwardedHeaders({ request, user, auditId, identifying }: Forwarding): OutgoingHttpHeaders {
  const headers = forwardableHeaders(request);
  for (const name of Object.keys(headers)) if (isIdentifying(name, identifying)) delete headers[name];
  // This server has already responded to it (100 Continue).
  delete headers.expect;
  const before = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (before.length >= maxForwarders)
    throw badRequest(
      `x-forwarded-for: the request was already forwarded ${before.length} times; fewer than ${maxForwarders} are accepted`,
    );
  const from = request.socket?.remoteAddress;
  if (from !== undefined) headers["x-forwarded-for"] = [...before, from].join(", ");
  return { ...headers, ...identityHeaders(user), "audit-id": auditId };
}
