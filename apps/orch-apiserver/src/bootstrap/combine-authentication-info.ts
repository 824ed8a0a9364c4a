import { X509Certificate } from "node:crypto";
import { decodePem } from "@orchernetes/tls";

type Data = Readonly<Record<string, string>>;

/** Keys whose values are PEM bundles; those of the others are lists as JSON. */
const bundleKeys: ReadonlySet<string> = new Set(["client-ca-file", "requestheader-client-ca-file"]);

/** More text than this is nothing that servers have published. */
const maxBytes = 512 * 1024;

/** A value as a list: what makes no sense is left out. `id` is the same for items that mean the same. */
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
 * What the servers of a cluster publish together: the stored values without what makes no sense or has expired, and those of
 * this server behind them. So servers whose bundles differ, as they do while authorities are replaced, do not take turns in
 * overwriting each other.
 *
 * @param own what this server publishes now
 * @param before what it published the last time: what is no longer among its own goes, unless another server adds it again
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
