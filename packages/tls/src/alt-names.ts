import { isIP, isIPv4 } from "node:net";
import { type Asn1, children, content, contextPrimitive, isContext, sequence } from "./der.ts";

/** The subject alternative names of a certificate (RFC 5280 §4.2.1.6). */
export interface AltNames {
  readonly dnsNames: readonly string[];
  /** IPv4 in dotted form, IPv6 in its RFC 5952 form. */
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

/** Alternative names without any name. */
export const noAltNames: AltNames = { dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] };

/** Sorts hosts into DNS names and IP addresses, without duplicates and in the given order. */
export function hostsToAltNames(hosts: readonly string[]): AltNames {
  const unique = [...new Set(hosts.filter((host) => host !== ""))];
  return {
    ...noAltNames,
    dnsNames: unique.filter((host) => isIP(host) === 0),
    ipAddresses: unique.filter((host) => isIP(host) !== 0),
  };
}

/** Whether there are no names. */
export function isEmptyAltNames(names: AltNames): boolean {
  return [names.dnsNames, names.ipAddresses, names.emailAddresses, names.uris].every((list) => list.length === 0);
}

/**
 * Encodes the names as GeneralNames (RFC 5280 §4.2.1.6).
 * @throws Error for names that are not ASCII; the message is that of Go's crypto/x509
 */
export function encodeAltNames(names: AltNames): Asn1 {
  const ascii = (value: string) => {
    // Otherwise the name would lose bits and become another one.
    if (!isAscii(value)) throw new Error(`x509: ${JSON.stringify(value)} cannot be encoded as an IA5String`);
    return Buffer.from(value, "latin1");
  };
  return sequence(
    ...names.dnsNames.map((name) => contextPrimitive(2, ascii(name))),
    ...names.emailAddresses.map((name) => contextPrimitive(1, ascii(name))),
    ...names.ipAddresses.map((address) => contextPrimitive(7, addressToBytes(address))),
    ...names.uris.map((uri) => contextPrimitive(6, ascii(uri))),
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is tested for.
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/**
 * Decodes GeneralNames. Kinds of names without a use here (directory names, other names) are omitted.
 * @throws Error when the value is not DER of GeneralNames, or a name is not ASCII
 */
export function decodeAltNames(names: Asn1): AltNames {
  const of = (tag: number) =>
    children(names, "subject alternative names")
      .filter((name) => isContext(name, tag))
      .map((name) => content(name, "subject alternative name"));
  const asText = (bytes: Buffer) => {
    const text = bytes.toString("latin1");
    if (!isAscii(text)) throw new Error("x509: a subject alternative name is malformed: want ASCII");
    return text;
  };
  return {
    dnsNames: of(2).map(asText),
    ipAddresses: of(7).map(bytesToAddress),
    emailAddresses: of(1).map(asText),
    uris: of(6).map(asText),
  };
}

/**
 * The 4 or 16 bytes of an IP address.
 * @throws Error when the text is not an IP address.
 */
export function addressToBytes(address: string): Buffer {
  const bare = address.split("%", 1)[0] ?? "";
  if (isIPv4(bare)) return Buffer.from(bare.split(".").map(Number));
  if (isIP(bare) !== 6) throw new Error(`"${address}" is not an IP address: want a form such as 10.0.0.1 or fd00::1`);
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(bare);
  let hex = bare;
  if (dotted?.[1] !== undefined && dotted[2] !== undefined) {
    const tail = addressToBytes(dotted[2]).toString("hex");
    hex = `${dotted[1]}${tail.slice(0, 4)}:${tail.slice(4)}`;
  }
  const [head = "", tail] = hex.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** The text form of 4 or 16 address bytes, in RFC 5952 form for IPv6. */
export function bytesToAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) throw new Error(`an IP address of ${bytes.length} bytes: want 4 or 16`);
  const hex = Buffer.from(bytes).toString("hex");
  const groups = (hex.match(/.{4}/g) ?? []).join(":");
  // The URL parser writes the canonical short form.
  return new URL(`http://[${groups}]/`).hostname.slice(1, -1);
}
