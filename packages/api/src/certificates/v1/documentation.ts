import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of certificates.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  CertificateSigningRequest: {
    "": "Asks a signer for a certificate. It must be approved, is then signed, and is deleted some time later: after an hour if it was issued, denied or failed, after a day if it was not approved.",
    spec: "The requested certificate and who requests it. Can't be changed.",
    status: "The approval and the certificate.",
  },
  CertificateSigningRequestSpec: {
    "": "The requested certificate, and who requests it.",
    request: "The request itself: PKCS#10 in a PEM block of type CERTIFICATE REQUEST, base64-encoded.",
    signerName:
      "Signer of the certificate, such as orchernetes.io/orch-apiserver-client, orchernetes.io/orch-apiserver-client-orchlet or orchernetes.io/orchlet-serving, or another domain and path. It decides which trust, subjects and usages are possible.",
    expirationSeconds:
      "Requested validity of the certificate in seconds, at least 600. The signer may issue a longer or shorter one. Default: the signer decides.",
    usages: "Requested usages of the key, such as digital signature and client auth.",
    username: "Name of the user who created the request. Set by the server.",
    uid: "UID of the user who created the request. Set by the server.",
    groups: "Groups of the user who created the request. Set by the server.",
    extra: "Further attributes of the user who created the request. Set by the server.",
  },
  CertificateSigningRequestStatus: {
    "": "Progress of a request.",
    conditions:
      "What was decided: Approved or Denied, written through the approval subresource, and Failed, written by the signer. They can't be removed.",
    certificate:
      "The certificate and its intermediates, as base64-encoded PEM. Set once by the signer, then immutable.",
  },
  CertificateSigningRequestCondition: {
    "": "A decision about a request.",
    type: "Approved, Denied or Failed, each at most once; Approved and Denied exclude each other.",
    status: "True; no other status is allowed for Approved, Denied and Failed.",
    reason: "A machine-readable reason in CamelCase.",
    message: "A human-readable reason.",
    lastUpdateTime: "When the condition was last written.",
    lastTransitionTime: "When status last changed. Set by the server when left out.",
  },
};
