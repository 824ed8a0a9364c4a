import type { SecureVersion } from "node:tls";

/** TLS versions of Node.js by upstream's names. */
const versions = {
  VersionTLS10: "TLSv1",
  VersionTLS11: "TLSv1.1",
  VersionTLS12: "TLSv1.2",
  VersionTLS13: "TLSv1.3",
} as const satisfies Record<string, SecureVersion>;

/** OpenSSL names of the cipher suites by their registered names. */
const ciphers = {
  TLS_AES_128_GCM_SHA256: "TLS_AES_128_GCM_SHA256",
  TLS_AES_256_GCM_SHA384: "TLS_AES_256_GCM_SHA384",
  TLS_CHACHA20_POLY1305_SHA256: "TLS_CHACHA20_POLY1305_SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: "ECDHE-ECDSA-AES128-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: "ECDHE-RSA-AES128-SHA256",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_RSA_WITH_AES_128_CBC_SHA: "AES128-SHA",
  TLS_RSA_WITH_AES_128_CBC_SHA256: "AES128-SHA256",
  TLS_RSA_WITH_AES_128_GCM_SHA256: "AES128-GCM-SHA256",
  TLS_RSA_WITH_AES_256_CBC_SHA: "AES256-SHA",
  TLS_RSA_WITH_AES_256_GCM_SHA384: "AES256-GCM-SHA384",
} as const;

/** The suites of TLS 1.3, which are always enabled: naming older suites must not disable the newer protocol. */
const tls13Suites = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"] as const;

/**
 * Default cipher suites of TLS 1.2: those with forward secrecy and authenticated encryption. CBC suites, whose implementations have
 * leaked plaintext through timing, are enabled only if they are named.
 */
const defaultSuites = [
  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
  "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
] as const;

/** Names accepted by `--tls-min-version`. */
export const tlsVersionNames: readonly string[] = Object.keys(versions);

/** Names accepted by `--tls-cipher-suites`. */
export const cipherSuiteNames: readonly string[] = Object.keys(ciphers);

/** The runtime's name of a TLS version; undefined for the empty name. Throws on an unknown name. */
export function tlsVersion(name: string): SecureVersion | undefined {
  if (name === "") return undefined;
  if (!Object.hasOwn(versions, name)) {
    throw new Error(`unknown TLS version "${name}": want one of ${tlsVersionNames.join(", ")}`);
  }
  return versions[name as keyof typeof versions];
}

/** The OpenSSL cipher list for registered suite names; without names the default suites. Throws on an unknown name. */
export function cipherList(names: readonly string[]): string {
  const chosen = names.length === 0 ? defaultSuites : names;
  const list = [...tls13Suites, ...chosen].map((name) => {
    if (Object.hasOwn(ciphers, name)) return ciphers[name as keyof typeof ciphers];
    throw new Error(`unknown cipher suite "${name}": want one of ${cipherSuiteNames.join(", ")}`);
  });
  return [...new Set(list)].join(":");
}
