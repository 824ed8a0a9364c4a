import type { Layout } from "./layout.ts";
import type { ExtraFlags } from "./profile.ts";

/** The authority that signs for each signer: clients of the API server are signed by another one than what nodes serve. */
const AUTHORITIES = { "orchlet-serving": "orchlet-ca", "orchlet-client": "ca", "orch-apiserver-client": "ca" } as const;

/** Flags of orch-controller-manager with which it signs certificates. Requests without a signer's name are not signed. */
export function signerFlags(files: Layout): ExtraFlags {
  const pairs = Object.entries(AUTHORITIES).map(([signer, authority]): ExtraFlags => {
    const { certFile, keyFile } = files.certificate(authority);
    return { [`cluster-signing-${signer}-cert-file`]: certFile, [`cluster-signing-${signer}-key-file`]: keyFile };
  });
  return Object.assign({}, ...pairs);
}
