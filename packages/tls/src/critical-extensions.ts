import type { X509Certificate } from "node:crypto";
import { children, content, decode, dottedOid, isContext } from "./der.ts";

/** Extensions that the verification of client certificates looks at, or that restrict nothing it relies on. */
const understood: ReadonlySet<string> = new Set([
  "2.5.29.14", // subject key identifier
  "2.5.29.15", // key usage
  "2.5.29.17", // subject alternative names
  "2.5.29.19", // basic constraints
  "2.5.29.35", // authority key identifier
  "2.5.29.37", // extended key usage
]);

/**
 * Whether a certificate demands to be refused by those who do not understand it (RFC 5280 §4.2): an extension that is marked as
 * critical, such as name constraints of an authority, is not among those that are looked at.
 */
export function hasUnknownCriticalExtension(certificate: X509Certificate): boolean {
  const [body] = children(decode(certificate.raw), "certificate");
  const extensions = children(body, "certificate body").find((field) => isContext(field, 3));
  if (extensions === undefined) return false;
  const [list] = children(extensions, "extensions");
  return children(list, "extensions").some((extension) => {
    const [id, ...rest] = children(extension, "extension");
    // The mark stands between name and value; it is left out where it says no.
    const critical = rest.length > 1 && content(rest[0], "critical mark")[0] !== 0;
    return critical && !understood.has(dottedOid(id, "extension name"));
  });
}
