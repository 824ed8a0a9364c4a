import { X509Certificate } from "node:crypto";
import { decodePem } from "@orchernetes/tls";

type Data = Readonly<Record<string, string>>;

/** Keys whose values are PEM bundles; the values of the others are JSON lists. */
const bundleKeys: ReadonlySet<string> = new Set(["client-ca-file", "requestheader-client-ca-file"]);

/** Longest accepted text; servers do not publish longer ones. */
const maxBytes = 512 * 1024;

/** Parses a value as a list; invalid parts are dropped. Equivalent items have the same `id`. */
interface Item {
  readonly id: string;
  readonly text: string;
}

function certificatesOf(pem: string, now: number): readonly Item[] {
  return decodePem(pem).flatMap(({ label, der }) => {
    if (label !== "CERTIFICATE") return [];
    try {
      const certificate = new X509Certificate(der);
      const expired = Date.parse(certificate.validTo) < now;
      return expired ? [] : [{ id: certificate.fingerprint256, text: certificate.toString() }];
    } catch {
      return [];
    }
  });
}

function stringsOf(json: string): readonly Item[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.flatMap((id) => (typeof id === "string" ? [{ id, text: id }] : [])) : [];
  } catch {
    return [];
  }
}

/**
 * Merges the stored values, without invalid and expired items, with those of this server. Without the merge, servers with different
 * bundles would keep overwriting each other while authorities are being replaced.
 *
 * @param own the values of this server
 * @param before its values of the last time; items no longer among its own are removed, unless another server adds them again
 * @param now wall clock in milliseconds
 */
export function combineAuthenticationInfo(stored: Data, own: Data, before: Data, now: number): Data {
  const combined: Record<string, string> = { ...stored };
  for (const key of new Set([...Object.keys(own), ...Object.keys(before)])) {
    const itemsOf = (text = "") => (bundleKeys.has(key) ? certificatesOf(text, now) : stringsOf(text));
    const mine = itemsOf(own[key]);
    const wanted = new Set(mine.map(({ id }) => id));
    const dropped = new Set(itemsOf(before[key]).flatMap(({ id }) => (wanted.has(id) ? [] : [id])));
    const isSane = (stored[key] ?? "").length <= maxBytes;
    const others = isSane ? itemsOf(stored[key]).filter(({ id }) => !dropped.has(id)) : [];
    const items = [...new Map([...others, ...mine].map((item) => [item.id, item])).values()];
    if (bundleKeys.has(key)) {
      if (items.length === 0) delete combined[key];
      else combined[key] = items.map(({ text }) => text).join("");
    } else if (own[key] !== undefined || items.length > 0) combined[key] = JSON.stringify(items.map(({ id }) => id));
    else delete combined[key];
  }
  return combined;
}
