import type { X509Certificate } from "node:crypto";
import { type Asn1, children, decode, dottedOid, isContext, oid, sequence, set, text, utf8String } from "./der.ts";

/**
 * The parts of a distinguished name that have a meaning for the control plane: the common name is the user, the
 * organizations are the groups.
 */
export interface Subject {
  readonly commonName: string;
  /** In the order of the certificate. */
  readonly organizations: readonly string[];
}

const commonNameOid = "2.5.4.3";
const organizationOid = "2.5.4.10";
const serialNumberOid = "2.5.4.5";
/** Attributes with one value: of several, only the last one counts. */
const singleOids = [commonNameOid, serialNumberOid];
/** The attributes that a signer certifies: those of Go's `pkix.Name`, from which Kubernetes writes the subjects of certificates. */
const certifiedOids = new Set([
  ...singleOids,
  organizationOid,
  // Country, locality, province, street address, organizational unit and postal code.
  ...["2.5.4.6", "2.5.4.7", "2.5.4.8", "2.5.4.9", "2.5.4.11", "2.5.4.17"],
]);

/** Encodes a subject as an X.509 Name: organizations as one multi-valued RDN, then the common name. */
export function encodeSubject(subject: Subject): Asn1 {
  const attribute = (type: string, value: string) => sequence(oid(type), utf8String(value));
  // DER orders the members of a SET by their encoding; equal types and lengths make that the order of the texts.
  const organizations = subject.organizations
    .map((value) => ({ value, length: Buffer.byteLength(value) }))
    .sort((a, b) => a.length - b.length || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)))
    .map(({ value }) => attribute(organizationOid, value));
  return sequence(
    organizations.length > 0 ? set(...organizations) : undefined,
    subject.commonName === "" ? undefined : set(attribute(commonNameOid, subject.commonName)),
  );
}

/** Reads the common name (the last one wins, as in Go's crypto/x509) and all organizations of an X.509 Name. */
export function decodeSubject(name: Asn1): Subject {
  let commonName = "";
  const organizations: string[] = [];
  for (const rdn of children(name, "subject")) {
    for (const attribute of children(rdn, "subject attribute set")) {
      const [type, value] = children(attribute, "subject attribute");
      const dotted = dottedOid(type, "subject attribute type");
      if (dotted === commonNameOid) commonName = text(value, "common name");
      else if (dotted === organizationOid) organizations.push(text(value, "organization"));
    }
  }
  return { commonName, organizations };
}

/**
 * The subject of the certificate for a request with this subject. Of several common names, only the one that approvers check is kept, because
 * a reader of the certificate may use another. Attributes of other types are dropped, because no approver checks them.
 */
export function certifiedSubject(name: Asn1): Asn1 {
  const sets = children(name, "subject").map((rdn) =>
    children(rdn, "subject attribute set").map((attribute) => ({
      attribute,
      type: dottedOid(children(attribute, "subject attribute")[0], "subject attribute type"),
    })),
  );
  const all = sets.flat();
  const dropped = new Set(all.filter(({ type }) => !certifiedOids.has(type)));
  for (const single of singleOids)
    for (const one of all.filter(({ type }) => type === single).slice(0, -1)) dropped.add(one);
  const kept = sets.map((attributes) => attributes.filter((one) => !dropped.has(one)));
  const isNotEmpty = (attributes: readonly unknown[]): boolean => attributes.length > 0;
  return sequence(...kept.filter(isNotEmpty).map((attributes) => set(...attributes.map(({ attribute }) => attribute))));
}

/** The Name fields of a certificate in DER: issuer and subject, byte for byte. */
export function certificateNames(certificate: X509Certificate): { readonly issuer: Asn1; readonly subject: Asn1 } {
  const [tbs] = children(decode(certificate.raw), "certificate");
  const fields = children(tbs, "certificate body");
  const first = fields[0];
  const offset = first !== undefined && isContext(first, 0) ? 1 : 0;
  const issuer = fields[offset + 2];
  const subject = fields[offset + 4];
  if (issuer === undefined || subject === undefined) throw new Error("certificate body: issuer or subject is missing");
  return { issuer, subject };
}

/**
 * Reads the user and the groups from a client certificate. The caller must have verified it (see
 * `verifyClientCertificate`).
 *
 * The names are read from the DER and not from the text form of the runtime, whose escaping would allow one attribute
 * to look like another.
 */
export function certificateIdentity(certificate: X509Certificate): Subject {
  return decodeSubject(certificateNames(certificate).subject);
}
