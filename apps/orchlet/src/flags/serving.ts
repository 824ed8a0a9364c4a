import { cipherSuiteNames, tlsVersionNames } from "@orchernetes/component";
import { configFlags } from "./config-flags.ts";

/** Name of the self-signed serving pair in `--cert-dir`. */
export const PAIR_NAME = "orchlet";

/** The agent's own server, its health port, and who may use them. */
export const servingSection = configFlags("Serving", {
  "enable-server": { type: "bool", default: true, help: "Runs the agent's server." },
  address: { type: "ip", default: "0.0.0.0", help: "Address the server listens on." },
  port: { type: "int", default: 10250, min: 1, max: 65535, help: "Port of the server." },
  "read-only-port": {
    type: "int",
    default: 10255,
    min: 0,
    max: 65535,
    help: "Port without authentication and authorization that only reads; 0 switches it off.",
  },
  "tls-cert-file": {
    type: "string",
    default: "",
    help: "PEM file of the serving certificate, with intermediate authorities after it. Without it and the key file a self-signed pair is made in --cert-dir.",
  },
  "tls-private-key-file": {
    type: "string",
    default: "",
    help: "PEM file of the private key that belongs to --tls-cert-file.",
  },
  "tls-cipher-suites": {
    type: "strings",
    default: [],
    oneOf: cipherSuiteNames,
    help: "Cipher suites the server offers below TLS 1.3, whose own are always on; by default those with ECDHE and GCM or ChaCha20-Poly1305.",
  },
  "tls-min-version": {
    type: "string",
    default: "",
    oneOf: ["", ...tlsVersionNames],
    help: "Oldest TLS version the server speaks.",
  },
  "rotate-certificates": {
    type: "bool",
    default: false,
    help: "Renews the client certificate through the certificates API before it ends; needs someone who approves.",
  },
  "rotate-server-certificates": {
    type: "bool",
    default: false,
    help: "Gets and renews the serving certificate through the certificates API; needs feature RotateOrchletServerCertificate and someone who approves.",
  },
  "anonymous-auth": {
    type: "bool",
    default: true,
    help: "Serves requests without credentials as user system:anonymous of group system:unauthenticated.",
  },
  "client-ca-file": {
    type: "string",
    default: "",
    help: "PEM bundle of authorities. A client certificate signed by one of them names its holder: user by common name, groups by organization.",
  },
  "authentication-token-webhook": {
    type: "bool",
    default: false,
    help: "Asks the API server whose a bearer token is.",
  },
  "authentication-token-webhook-cache-ttl": {
    type: "duration",
    default: "2m0s",
    min: 0,
    help: "How long an answer about a token is kept.",
  },
  "authorization-mode": {
    type: "string",
    default: "AlwaysAllow",
    oneOf: ["AlwaysAllow", "Webhook"],
    help: "How requests are authorized: all, or as the API server answers.",
  },
  "authorization-webhook-cache-authorized-ttl": {
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "How long a permission is kept.",
  },
  "authorization-webhook-cache-unauthorized-ttl": {
    type: "duration",
    default: "30s",
    min: 0,
    help: "How long a refusal is kept.",
  },
  "healthz-port": {
    type: "int",
    default: 10248,
    min: 0,
    max: 65535,
    help: "Port of the health page on this host; 0 switches it off.",
  },
  "healthz-bind-address": { type: "ip", default: "127.0.0.1", help: "Address of the health page." },
  "streaming-connection-idle-timeout": {
    type: "duration",
    default: "4h0m0s",
    min: 0,
    help: "How long a streaming connection may be idle before it is closed; 0 means for ever.",
  },
  "enable-debugging-handlers": {
    type: "bool",
    default: true,
    help: "Serves logs, exec, attach, run and port-forward.",
  },
  "contention-profiling": {
    type: "bool",
    default: false,
    help: "Records where time is lost waiting, when debugging handlers are on.",
  },
  "enable-system-log-handler": {
    type: "bool",
    default: true,
    help: "Serves the host's log files under /logs/.",
  },
  "enable-system-log-query": {
    type: "bool",
    default: false,
    help: "Lets /logs/ be queried for services; needs --enable-system-log-handler and feature NodeLogQuery.",
  },
  "enable-profiling-handler": {
    type: "bool",
    default: true,
    help: "Serves profiles under /debug/pprof/.",
  },
  "enable-debug-flags-handler": { type: "bool", default: true, help: "Serves /debug/flags/v." },
});
