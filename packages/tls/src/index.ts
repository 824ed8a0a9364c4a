/**
 * Certificates of a control plane: authorities, serving and client certificates, signing requests, and the files that
 * contain them.
 *
 * - {@link createCertificateAuthority} and {@link issueCertificate} create certificates; keys are ECDSA P-256 by default.
 *   ASN.1 is encoded by node-forge; keys and signatures come from node:crypto, because node-forge does not support
 * ECDSA.
 * - {@link parseCertificateRequest} and {@link signCertificateRequest} implement the certificates API.
 * - {@link ensureSelfSignedPair} implements `--cert-dir`; {@link reloadingSecureContext} reloads files that are renewed.
 * - {@link certificateIdentity} turns a verified client certificate into a user (common name) and groups (organizations).
 *
 * Errors in files and texts that a user supplied are {@link TlsMaterialError}s; they name the source, the error and
 * what would be accepted.
 *
 * @example
 * ```ts
 * import { createCertificateAuthority, issueClientCertificate, issueServerCertificate } from "@orchernetes/tls";
 *
 * const ca = await createCertificateAuthority({ commonName: "orchernetes" });
 * const server = await issueServerCertificate(ca, { commonName: "orch-apiserver", hosts: ["localhost", "127.0.0.1"] });
 * const admin = await issueClientCertificate(ca, { commonName: "admin", organizations: ["system:masters"] });
 * ```
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
export { type CertificateDeprecation, deprecationOfError, deprecationsOfPeer } from "./deprecated-certificate.ts";
export { type FileWatcherOptions, fileFingerprint, watchFiles } from "./file-watcher.ts";
export { type Followed, type FollowOptions, fixed, followedValue, followFiles } from "./followed-files.ts";
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
export { checkServerName, ServerNameError } from "./server-name.ts";
export { certificateIdentity, type Subject } from "./subject.ts";
export { isUsage, type Usage } from "./usages.ts";
export { peerChain, verifyClientCertificate } from "./verify-chain.ts";
