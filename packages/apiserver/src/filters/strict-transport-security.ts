import type { HttpFilter } from "./http-filter.ts";

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
