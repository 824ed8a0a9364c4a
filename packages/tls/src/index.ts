/**
 * Certificates for a control plane: authorities, serving and client certificates, signing requests, and the files they live
 * in.
 *
 * - {@link createCertificateAuthority} and {@link issueCertificate} make certificates; keys are ECDSA P-256 unless asked
 *   otherwise. ASN.1 is assembled with node-forge, keys and signatures are node:crypto's, which is what makes ECDSA work.
 * - {@link parseCertificateRequest} and {@link signCertificateRequest} serve the certificates API.
 * - {@link ensureSelfSignedPair} backs `--cert-dir`; {@link reloadingSecureContext} follows files that are renewed.
 * - {@link certificateIdentity} turns a verified client certificate into a user (common name) and groups (organizations).
 *
 * Faults of anything a user named are {@link TlsMaterialError}s that say which file, what is wrong, and what would do.
 *
 * @module
 */
export { type AltNames, bytesToAddress, hostsToAltNames, noAltNames } from "./alt-names.ts";
export {
  type CertificateAuthority,
  type CertificateAuthorityOptions,
  type CertificatePair,
  createCertificateAuthority,
  type IssueOptions,
  issueCertificate,
  issueClientCertificate,
  issueServerCertificate,
  loadCertificateAuthority,
  parseCertificate,
  signCertificateRequest,
} from "./certificate-authority.ts";
export {
  type CertificateRequest,
  type CertificateRequestOptions,
  createCertificateRequest,
  parseCertificateRequest,
} from "./certificate-request.ts";
export { type FileWatcherOptions, fileFingerprint, watchFiles } from "./file-watcher.ts";
export { type Followed, type FollowOptions, fixed, followFiles } from "./followed-files.ts";
export { keepAuthority, keepPair, type PairPaths } from "./kept-pair.ts";
export { generatePrivateKey, type KeyAlgorithm, privateKeyToPem, publicKeyOf } from "./keys.ts";
export {
  type CaBundle,
  decodePem,
  encodePem,
  joinServingPair,
  keyMatchesCertificate,
  loadCaBundle,
  loadPrivateKey,
  loadServingPair,
  type PemBlock,
  type PrivateKeyMaterial,
  parseCertificates,
  parsePrivateKey,
  parsePublicKeys,
  parseServingPair,
  readMaterial,
  type ServingPair,
  TlsMaterialError,
  validity,
} from "./pem.ts";
export {
  type ReloadingSecureContext,
  type ReloadingSecureContextOptions,
  reloadingSecureContext,
  type SecureMaterial,
} from "./reloading-secure-context.ts";
export {
  createSelfSignedPair,
  ensureSelfSignedPair,
  type PairFiles,
  type SelfSignedOptions,
  type SelfSignedPairOptions,
} from "./self-signed-pair.ts";
export { certificateIdentity, type Subject } from "./subject.ts";
export { isUsage, type Usage } from "./usages.ts";
export { peerChain, verifyClientCertificate } from "./verify-chain.ts";
