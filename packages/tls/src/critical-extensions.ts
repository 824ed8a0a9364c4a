import type { X509Certificate } from "node:crypto";
import { children, content, decode, dottedOid, isContext } from "./der.ts";

/** Extensions that client certificate verification handles, or that do not affect it. */
const understood: ReadonlySet<string> = new Set([
  "2.5.29.14", // subject key identifier
  "2.5.29.15", // key usage
  "2.5.29.17", // subject alternative names
  "2.5.29.19", // basic constraints
  "2.5.29.35", // authority key identifier
  "2.5.29.37", // extended key usage
]);

/**
 * Whether a certificate has an unhandled critical extension, such as name constraints of an authority, and must
 * therefore be rejected (RFC 5280 §4.2).
 */
export function hasUnknownCriticalExtension(certificate: X509Certificate): boolean {
  const [body] = children(decode(certificate.raw), "certificate");
  const extensions = children(body, "certificate body").find((field) => isContext(field, 3));
  if (extensions === undefined) return false;
  const [list] = children(extensions, "extensions");
  return children(list, "extensions").some((extension) => {
    const [id, ...rest] = children(extension, "extension");
    // The critical flag is between id and value, and is omitted if false.
    const critical = rest.length > 1 && content(rest[0], "critical mark")[0] !== 0;
    return critical && !understood.has(dottedOid(id, "extension name"));
  });
}
