import { createHash, type KeyObject, randomBytes } from "node:crypto";
import { type AltNames, encodeAltNames, isEmptyAltNames } from "./alt-names.ts";
import * as der from "./der.ts";
import { encodePublicKey, signatureScheme, signStructure } from "./keys.ts";
import { encodePem } from "./pem.ts";
import { encodeExtendedKeyUsage, encodeKeyUsage, type Usage } from "./usages.ts";

/** The content of a certificate before it is signed (RFC 5280 §4.1.2). */
export interface CertificateTemplate {
  readonly subject: der.Asn1;
  readonly issuer: der.Asn1;
  readonly publicKey: KeyObject;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly usages: readonly Usage[];
  readonly altNames: AltNames;
  /** Marks a certificate authority. */
  readonly isCa: boolean;
  /** Subject key identifier of the issuer; absent on a self-signed certificate. */
  readonly issuerKeyId?: Buffer | undefined;
  /** Further extensions. */
  readonly extensions?: readonly { readonly id: string; readonly critical: boolean; readonly value: der.Asn1 }[];
}

/** The key identifier of RFC 5280 §4.2.1.2, method 1: SHA-1 of the public key bits. */
export function keyIdentifier(publicKey: KeyObject): Buffer {
  const [, bits] = der.children(encodePublicKey(publicKey), "public key");
  return createHash("sha1").update(der.content(bits, "public key bits").subarray(1)).digest();
}

/**
 * Signs a certificate. Returns one PEM block. The serial number is 127 random bits: positive and hard to predict, as
 * the CA/Browser Forum requires.
 */
export function signCertificate(template: CertificateTemplate, signingKey: KeyObject): string {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01;
  const extension = (id: string, critical: boolean, value: der.Asn1 | undefined) =>
    value && der.sequence(der.oid(id), critical ? der.boolean(true) : undefined, der.octetString(der.encode(value)));
  const { issuerKeyId } = template;
  const body = der.sequence(
    der.context(0, der.unsignedInteger(Uint8Array.of(2))),
    der.unsignedInteger(serial),
    signatureScheme(signingKey).algorithm,
    template.issuer,
    der.sequence(der.time(new Date(template.notBeforeMs)), der.time(new Date(template.notAfterMs))),
    template.subject,
    encodePublicKey(template.publicKey),
    der.context(
      3,
      der.sequence(
        extension("2.5.29.15", true, encodeKeyUsage(template.usages)),
        extension("2.5.29.37", false, encodeExtendedKeyUsage(template.usages)),
        extension("2.5.29.19", true, der.sequence(template.isCa ? der.boolean(true) : undefined)),
        extension("2.5.29.14", false, template.isCa ? der.octetString(keyIdentifier(template.publicKey)) : undefined),
        extension("2.5.29.35", false, issuerKeyId && der.sequence(der.contextPrimitive(0, issuerKeyId))),
        extension(
          "2.5.29.17",
          false,
          isEmptyAltNames(template.altNames) ? undefined : encodeAltNames(template.altNames),
        ),
        ...(template.extensions ?? []).map(({ id, critical, value }) => extension(id, critical, value)),
      ),
    ),
  );
  return encodePem("CERTIFICATE", signStructure(body, signingKey));
}
