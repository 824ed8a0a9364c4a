import { type Asn1, bitString, oid, sequence } from "./der.ts";

const keyUsageBits = {
  "digital signature": 0,
  signing: 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
} as const;

const extendedUsageOids = {
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
} as const;

/** A permitted use of a certificate, by its name in the certificates API (`spec.usages`). */
export type Usage = keyof typeof keyUsageBits | keyof typeof extendedUsageOids;

/** Whether a text names a {@link Usage}. */
export function isUsage(name: string): name is Usage {
  return Object.hasOwn(keyUsageBits, name) || Object.hasOwn(extendedUsageOids, name);
}

/** The KeyUsage bit string of the usages that are key usages, or undefined when there is none. */
export function encodeKeyUsage(usages: readonly Usage[]): Asn1 | undefined {
  const table: Readonly<Record<string, number>> = keyUsageBits;
  const bits = usages.flatMap((usage) => (Object.hasOwn(table, usage) ? [table[usage] ?? 0] : []));
  if (bits.length === 0) return undefined;
  const bytes = Buffer.alloc(bits.some((bit) => bit > 7) ? 2 : 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  // DER drops trailing zero bits of a named bit list.
  return bitString(bytes, bytes.length * 8 - 1 - Math.max(...bits));
}

/** Object identifiers of the extended key usages among the usages, without duplicates. */
export function extendedKeyUsages(usages: readonly Usage[]): readonly string[] {
  const table: Readonly<Record<string, string>> = extendedUsageOids;
  return [...new Set(usages.flatMap((usage) => (Object.hasOwn(table, usage) ? [table[usage] ?? ""] : [])))];
}

/** The ExtendedKeyUsage of the usages that are extended ones, or undefined when there is none. */
export function encodeExtendedKeyUsage(usages: readonly Usage[]): Asn1 | undefined {
  const oids = extendedKeyUsages(usages);
  return oids.length === 0 ? undefined : sequence(...oids.map(oid));
}
