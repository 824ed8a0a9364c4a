import {
  bytes,
  enumeration,
  type Infer,
  int32,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";

const pkg = "certificates/v1";

/**
 * A request for a certificate, which a signer answers after an approver has approved it. All of `spec` is immutable.
 *
 * Source: KEP-1513; `expirationSeconds`: KEP-2784.
 */
export const CertificateSigningRequest = object(pkg, "CertificateSigningRequest", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, CertificateSigningRequestSpec),
  status: value(3, CertificateSigningRequestStatus),
}));
export interface CertificateSigningRequest extends Infer<typeof CertificateSigningRequest> {}

/** What certificate is asked for, and by whom. */
export const CertificateSigningRequestSpec = message(pkg, "CertificateSigningRequestSpec", () => ({
  request: required(1, bytes),
  signerName: required(7, string),
  expirationSeconds: pointer(8, int32),
  usages: optional(
    5,
    list(
      enumeration(
        "signing",
        "digital signature",
        "content commitment",
        "key encipherment",
        "key agreement",
        "data encipherment",
        "cert sign",
        "crl sign",
        "encipher only",
        "decipher only",
        "any",
        "server auth",
        "client auth",
        "code signing",
        "email protection",
        "s/mime",
        "ipsec end system",
        "ipsec tunnel",
        "ipsec user",
        "timestamping",
        "ocsp signing",
        "microsoft sgc",
        "netscape sgc",
      ),
    ),
  ),
  username: optional(2, string),
  uid: optional(3, string),
  groups: optional(4, list(string)),
  extra: optional(6, mapOf(list(string))),
}));
export interface CertificateSigningRequestSpec extends Infer<typeof CertificateSigningRequestSpec> {}

/** How far a request has come. */
export const CertificateSigningRequestStatus = message(pkg, "CertificateSigningRequestStatus", () => ({
  conditions: optional(1, list(CertificateSigningRequestCondition), { list: "map", keys: ["type"] }),
  certificate: optional(2, bytes),
}));
export interface CertificateSigningRequestStatus extends Infer<typeof CertificateSigningRequestStatus> {}

/** A decision about a request. */
export const CertificateSigningRequestCondition = message(pkg, "CertificateSigningRequestCondition", () => ({
  type: required(1, string),
  status: required(6, openEnumeration("True", "False", "Unknown")),
  reason: optional(2, string),
  message: optional(3, string),
  lastUpdateTime: optional(4, time),
  lastTransitionTime: optional(5, time),
}));
export interface CertificateSigningRequestCondition extends Infer<typeof CertificateSigningRequestCondition> {}

export const CertificateSigningRequestList = object(pkg, "CertificateSigningRequestList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(CertificateSigningRequest)),
}));
export interface CertificateSigningRequestList extends Infer<typeof CertificateSigningRequestList> {}
