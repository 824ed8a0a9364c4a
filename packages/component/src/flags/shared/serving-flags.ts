import { cipherSuiteNames, tlsVersionNames } from "../../serving/tls-names.ts";
import { flagSection } from "../flag.ts";

const pair = /^([^,:]+),([^,:]+)(:[^:]*)?$/;

const certFlags = {
  "tls-cert-file": {
    type: "string",
    default: "",
    help: "PEM file of the serving certificate, with intermediate authorities after it. If it and the key file are not set, a self-signed pair is created in --cert-dir.",
  },
  "tls-private-key-file": {
    type: "string",
    default: "",
    help: "PEM file of the private key that belongs to --tls-cert-file.",
  },
  "tls-sni-cert-key": {
    type: "repeated",
    default: [],
    validate: (pairs: readonly string[]) =>
      pairs.every((text) => pair.test(text)) ? undefined : "certFile,keyFile or certFile,keyFile:pattern,pattern",
    help: "An additional certificate and key as certFile,keyFile, for the names in the certificate or for the patterns after a colon. Exact names take precedence over wildcards, patterns over names from the certificate. May be repeated.",
  },
  "tls-cipher-suites": {
    type: "strings",
    default: [],
    oneOf: cipherSuiteNames,
    help: "Cipher suites that the server offers below TLS 1.3, whose suites are always enabled; by default those with ECDHE and GCM or ChaCha20-Poly1305.",
  },
  "tls-min-version": {
    type: "string",
    default: "",
    oneOf: ["", ...tlsVersionNames],
    help: "Minimum TLS version that the server supports.",
  },
} as const;

/** Serving certificates: file names, SNI pairs, cipher suites and the oldest version. */
export const tlsFlags = flagSection("Secure serving", certFlags);

/**
 * The flags of a secure port.
 * @param defaults the port, the least accepted port (0 when the port can be switched off), the default certificate directory
 */
export function servingFlags<const Port extends number, const Dir extends string>(defaults: {
  readonly port: Port;
  readonly minPort: 0 | 1;
  readonly certDir: Dir;
}) {
  return flagSection("Secure serving", {
    "bind-address": {
      type: "ip",
      default: "0.0.0.0",
      help: "Address that the secure port listens on. Blank or unspecified (0.0.0.0 or ::) means all interfaces.",
    },
    "secure-port": {
      type: "int",
      default: defaults.port,
      min: defaults.minPort,
      max: 65535,
      help:
        defaults.minPort === 0
          ? "Port for HTTPS with authentication and authorization; 0 switches HTTPS off."
          : "Port for HTTPS with authentication and authorization; it cannot be switched off.",
    },
    "cert-dir": {
      type: "string",
      default: defaults.certDir,
      help: "Directory for the self-signed serving pair; not used when --tls-cert-file and --tls-private-key-file are given.",
    },
    "http2-max-streams-per-connection": {
      type: "int",
      default: 0,
      min: 0,
      help: "Maximum number of streams that an HTTP/2 client may open on one connection; 0 means the default of the runtime.",
    },
    "permit-address-sharing": {
      type: "bool",
      default: false,
      help: "Listens with address reuse (SO_REUSEADDR), so that the port can be taken over without waiting. The runtime always does this, so the flag changes nothing.",
      effect: "always",
    },
    "permit-port-sharing": {
      type: "bool",
      default: false,
      help: "Listens with port reuse (SO_REUSEPORT), so that several processes can share an address and port.",
    },
    ...certFlags,
  });
}
