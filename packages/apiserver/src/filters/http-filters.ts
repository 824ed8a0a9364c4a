import { leaveConnection } from "../http/leave-connection.ts";
import type { HttpFilter } from "../interfaces/server.ts";

/**
 * Asks a share of the clients to open a new connection after their request, so that they spread over several servers
 * behind a load balancer (`--goaway-chance`): HTTP/2 gets a GOAWAY frame, HTTP/1.1 `connection: close`. Requests and
 * watches that run on the connection continue.
 *
 * @param chance 0 to 1, per request
 * @param random numbers from 0 to below 1
 */
export function goaway(chance: number, random: () => number = Math.random): HttpFilter {
  return (req, res) => {
    if (random() < chance) leaveConnection(req, res);
    return false;
  };
}

const directive = /^(?:max-age=\d+|includeSubDomains|preload)$/;

/** Whether this is a directive of the Strict-Transport-Security header (RFC 6797 §6.1, and `preload`). */
export function isHstsDirective(text: string): boolean {
  return directive.test(text.trim());
}

/** Instructs browsers to connect to this host by HTTPS only (RFC 6797). */
export function strictTransportSecurity(directives: readonly string[]): HttpFilter {
  const value = directives.map((text) => text.trim()).join("; ");
  return (_req, res) => {
    res.setHeader("strict-transport-security", value);
    return false;
  };
}
