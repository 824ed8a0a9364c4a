import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of certificates.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  CertificateSigningRequest: {
    "": "Asks a signer for a certificate. It needs an approval, is then signed, and is deleted some time later: after an hour when it was issued, denied or failed, after a day when nobody approved it.",
    spec: "The requested certificate and who requests it. Can't be changed.",
    status: "The approval and the certificate.",
  },
  CertificateSigningRequestSpec: {
    "": "The requested certificate, and who requests it.",
    request: "The request itself, PKCS#10 in a PEM block CERTIFICATE REQUEST, in base64.",
    signerName:
      "Who is to sign, such as orchernetes.io/orch-apiserver-client, orchernetes.io/orch-apiserver-client-orchlet or orchernetes.io/orchlet-serving, or another domain and path. It decides which trust, subjects and usages are possible.",
    expirationSeconds:
      "Seconds that the certificate should be good for, at least 600. The signer may choose otherwise. Default: what the signer decides.",
    usages: "What the key is to be used for, such as digital signature and client auth.",
    username: "Name of the user who created the request. Set by the server.",
    uid: "UID of the user who created the request. Set by the server.",
    groups: "Groups of the user who created the request. Set by the server.",
    extra: "Further attributes of the user who created the request. Set by the server.",
  },
  CertificateSigningRequestStatus: {
    "": "Progress of a request.",
    conditions:
      "What was decided: Approved or Denied, written through the approval subresource, and Failed, written by the signer. They can't be taken back.",
    certificate:
      "The certificate and those that lead to the root, as PEM in base64. Set once by the signer, then fixed.",
  },
  CertificateSigningRequestCondition: {
    "": "A decision about a request.",
    type: "Approved, Denied or Failed, each at most once; Approved and Denied exclude each other.",
    status: "True; Approved, Denied and Failed know nothing else.",
    reason: "One CamelCase word that says why, for programs.",
    message: "Why, for people.",
    lastUpdateTime: "When the condition was last written.",
    lastTransitionTime: "When status last changed. Set by the server when left out.",
  },
};
