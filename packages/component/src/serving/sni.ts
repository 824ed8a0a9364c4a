import type { X509Certificate } from "node:crypto";

/**
 * Host names of a certificate: its DNS names, otherwise its common name. IP addresses are not included: SNI has none
 * (RFC 6066 §3).
 */
export function certificateHosts(certificate: X509Certificate): readonly string[] {
  const names = (certificate.subjectAltName ?? "")
    .split(", ")
    .flatMap((name) => (name.startsWith("DNS:") ? [name.slice(4)] : []));
  const commonName = /^CN=(.*)$/m.exec(certificate.subject)?.[1];
  return names.length > 0 || commonName === undefined ? names : [commonName];
}

/** Names that a server name is compared with: explicit patterns come before names taken from certificates. */
export interface SniEntry<T> {
  readonly names: readonly string[];
  readonly explicit: boolean;
  readonly value: T;
}

/** The entry for a server name: exact before wildcard, explicit pattern before certificate name, earlier before later. */
export function matchSni<T>(entries: readonly SniEntry<T>[], serverName: string): T | undefined {
  const name = serverName.toLowerCase().replace(/\.$/, "");
  const wildcard = `*${name.slice(name.indexOf("."))}`;
  const candidates = name.includes(".") ? [name, wildcard] : [name];
  for (const candidate of candidates) {
    for (const explicit of [true, false]) {
      const found = entries.find(
        (entry) => entry.explicit === explicit && entry.names.some((pattern) => pattern.toLowerCase() === candidate),
      );
      if (found !== undefined) return found.value;
    }
  }
  return undefined;
}
