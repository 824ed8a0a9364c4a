import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of certificates.o8s.io/v1alpha1. */
export const documentation: TypeDocumentation = {
  ClusterTrustBundle: {
    "": "Root certificates for the whole cluster, which everybody may read. With a signer, its name begins with that of the signer, whose slashes become colons, and writing it needs the verb attest on the signer.",
    spec: "The certificates and the signer they belong to.",
  },
  ClusterTrustBundleSpec: {
    "": "Root certificates and the signer they belong to.",
    signerName:
      "The signer whose certificates can be checked with the bundle, such as example.com/my-signer. Empty: none in particular. Can't be changed.",
    trustBundle:
      "The certificates: blocks CERTIFICATE in PEM without headers, each once, at least one. Their order has no meaning and readers may change it.",
  },
};
