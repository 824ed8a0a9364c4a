/// <reference path="./node-forge-asn1.d.ts" />
import type forge from "node-forge";
// Imports only the ASN.1 module: loading the whole library would cost every daemon 30 ms and some megabytes.
import asn1 from "node-forge/lib/asn1.js";
import runtime from "node-forge/lib/forge.js";

/** One ASN.1 value as node-forge represents it. */
export type Asn1 = forge.asn1.Asn1;

const universal = asn1.Class.UNIVERSAL;
const T = asn1.Type;

const primitive = (type: forge.asn1.Type, binary: string): Asn1 => asn1.create(universal, type, false, binary);

/** A SEQUENCE of the given values; `undefined` entries (absent optional fields) are left out. */
export function sequence(...items: readonly (Asn1 | undefined)[]): Asn1 {
  return asn1.create(
    universal,
    T.SEQUENCE,
    true,
    items.filter((item) => item !== undefined),
  );
}

/** A SET of the given values, in the given order. */
export function set(...items: readonly Asn1[]): Asn1 {
  return asn1.create(universal, T.SET, true, [...items]);
}

/** An OBJECT IDENTIFIER from its dotted form. */
export function oid(dotted: string): Asn1 {
  return primitive(T.OID, asn1.oidToDer(dotted).getBytes());
}

/** An INTEGER from big-endian bytes read as an unsigned number. */
export function unsignedInteger(bytes: Uint8Array): Asn1 {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const body = Buffer.from(bytes.subarray(start)).toString("latin1");
  return primitive(T.INTEGER, ((bytes[start] ?? 0) & 0x80 ? "\0" : "") + body);
}

/** A BOOLEAN. */
export const boolean = (value: boolean): Asn1 => primitive(T.BOOLEAN, value ? "\xff" : "\0");

/** NULL, the parameters of the RSA signature algorithms. */
export const nullValue = (): Asn1 => primitive(T.NULL, "");

/** A UTF8String. */
export const utf8String = (text: string): Asn1 => primitive(T.UTF8, Buffer.from(text, "utf8").toString("latin1"));

/** An OCTET STRING of the given bytes. */
export const octetString = (bytes: Uint8Array): Asn1 => primitive(T.OCTETSTRING, Buffer.from(bytes).toString("latin1"));

/** A BIT STRING; `unused` is the number of padding bits in the last byte. */
export function bitString(bytes: Uint8Array, unused = 0): Asn1 {
  return primitive(T.BITSTRING, String.fromCharCode(unused) + Buffer.from(bytes).toString("latin1"));
}

/** A UTCTime up to 2049 and a GeneralizedTime from 2050 on, as required by RFC 5280 §4.1.2.5. */
export function time(instant: Date): Asn1 {
  const digits = instant.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return instant.getUTCFullYear() < 2050
    ? primitive(T.UTCTIME, `${digits.slice(2)}Z`)
    : primitive(T.GENERALIZEDTIME, `${digits}Z`);
}

/** A constructed context-specific value, such as `[3] EXPLICIT`. */
export function context(tag: number, ...items: readonly Asn1[]): Asn1 {
  return asn1.create(asn1.Class.CONTEXT_SPECIFIC, tag, true, [...items]);
}

/** A primitive context-specific value, such as `[2] IMPLICIT IA5String`. */
export function contextPrimitive(tag: number, bytes: Uint8Array): Asn1 {
  return asn1.create(asn1.Class.CONTEXT_SPECIFIC, tag, false, Buffer.from(bytes).toString("latin1"));
}

/** DER bytes of a value. */
export const encode = (value: Asn1): Buffer => Buffer.from(asn1.toDer(value).getBytes(), "latin1");

/**
 * Decodes one DER value.
 * @throws Error when the bytes are not one complete DER value.
 */
export function decode(der: Uint8Array): Asn1 {
  const options = { strict: true, parseAllBytes: true, decodeBitStrings: false };
  // The options object is not in the published types; without it a signature inside a BIT STRING would be decoded as
  // ASN.1.
  const fromDer: (bytes: forge.util.ByteStringBuffer, options: unknown) => Asn1 = asn1.fromDer as never;
  return fromDer(runtime.util.createBuffer(Buffer.from(der).toString("latin1")), options);
}

/** The children of a constructed value. @throws Error when the value is primitive; `what` names it in the message */
export function children(value: Asn1 | undefined, what: string): readonly Asn1[] {
  if (value === undefined || !Array.isArray(value.value))
    throw new Error(`${what}: expected a constructed ASN.1 value`);
  return value.value;
}

/**
 * The content bytes of a primitive value.
 *
 * @throws Error when the value is constructed; `what` names it in the message
 */
export function content(value: Asn1 | undefined, what: string): Buffer {
  if (value === undefined || typeof value.value !== "string") {
    throw new Error(`${what}: expected a primitive ASN.1 value`);
  }
  return Buffer.from(value.value, "latin1");
}

/** The dotted form of an OBJECT IDENTIFIER value. */
export function dottedOid(value: Asn1 | undefined, what: string): string {
  const bytes = content(value, what);
  if (value?.type !== T.OID || bytes.length === 0) throw new Error(`${what}: expected an object identifier`);
  return asn1.derToOid(runtime.util.createBuffer(bytes.toString("latin1")));
}

/**
 * Text of any ASN.1 character string (UTF8, Printable, IA5, T61, BMP).
 * @throws Error for invalid text: different names must not decode to the same one
 */
export function text(value: Asn1 | undefined, what: string): string {
  const bytes = content(value, what);
  const encoding = value?.type === T.BMPSTRING ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error(`${what}: the bytes are not valid ${encoding.toUpperCase()}`, { cause: error });
  }
}

/** Whether `value` is the context-specific value with this tag. */
export function isContext(value: Asn1, tag: number): boolean {
  return value.tagClass === asn1.Class.CONTEXT_SPECIFIC && (value.type as number) === tag;
}
