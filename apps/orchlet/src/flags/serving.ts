import { cipherSuiteNames, tlsVersionNames } from "@orchernetes/component";
import { configFlags } from "./config-flags.ts";

/** Name of the self-signed serving pair in `--cert-dir`. */
export const PAIR_NAME = "orchlet";

/** The agent's own server, its health port, and who may use them. */
export const servingSection = configFlags("Serving", {
  "enable-server": { field: "enableServer", type: "bool", default: true, help: "Runs the agent's server." },
  address: { field: "address", type: "ip", default: "0.0.0.0", help: "Address that the server listens on." },
  port: { field: "port", type: "int", default: 10250, min: 1, max: 65535, help: "Port of the server." },
  "read-only-port": {
    field: "readOnlyPort",
    type: "int",
    default: 10255,
    min: 0,
    max: 65535,
    help: "Read-only port without authentication and authorization; 0 disables it.",
  },
  "tls-cert-file": {
    field: "tlsCertFile",
    type: "string",
    default: "",
    help: "PEM file of the serving certificate, with intermediate authorities after it. If it and the key file are not set, a self-signed pair is created in --cert-dir.",
  },
  "tls-private-key-file": {
    field: "tlsPrivateKeyFile",
    type: "string",
    default: "",
    help: "PEM file of the private key that belongs to --tls-cert-file.",
  },
  "tls-cipher-suites": {
    field: "tlsCipherSuites",
    type: "strings",
    default: [],
    oneOf: cipherSuiteNames,
    help: "Cipher suites that the server offers below TLS 1.3, whose suites are always enabled; by default those with ECDHE and GCM or ChaCha20-Poly1305.",
  },
  "tls-min-version": {
    field: "tlsMinVersion",
    type: "string",
    default: "",
    oneOf: ["", ...tlsVersionNames],
    help: "Minimum TLS version that the server supports.",
  },
  "rotate-certificates": {
    field: "rotateCertificates",
    type: "bool",
    default: false,
    help: "Renews the client certificate through the certificates API before it expires; the requests must be approved.",
  },
  "rotate-server-certificates": {
    field: "serverTLSBootstrap",
    type: "bool",
    default: false,
    help: "Requests and renews the serving certificate through the certificates API; requires feature RotateOrchletServerCertificate, and the requests must be approved.",
  },
  "anonymous-auth": {
    field: "authentication.anonymous.enabled",
    type: "bool",
    default: true,
    help: "Serves requests without credentials as user system:anonymous of group system:unauthenticated.",
  },
  "client-ca-file": {
    field: "authentication.x509.clientCAFile",
    type: "string",
    default: "",
    help: "PEM bundle of authorities. A client certificate signed by one of them authenticates its holder: the common name is the user, the organizations are the groups.",
  },
  "authentication-token-webhook": {
    field: "authentication.webhook.enabled",
    type: "bool",
    default: false,
    help: "Uses token reviews of the API server to authenticate bearer tokens.",
  },
  "authentication-token-webhook-cache-ttl": {
    field: "authentication.webhook.cacheTTL",
    type: "duration",
    default: "2m0s",
    min: 0,
    help: "How long responses of token reviews are cached.",
  },
  "authorization-mode": {
    field: "authorization.mode",
    type: "string",
    default: "AlwaysAllow",
    oneOf: ["AlwaysAllow", "Webhook"],
    help: "How requests are authorized: AlwaysAllow allows all of them; Webhook uses SubjectAccessReviews of the API server.",
  },
  "authorization-webhook-cache-authorized-ttl": {
    field: "authorization.webhook.cacheAuthorizedTTL",
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "How long allowed decisions are cached.",
  },
  "authorization-webhook-cache-unauthorized-ttl": {
    field: "authorization.webhook.cacheUnauthorizedTTL",
    type: "duration",
    default: "30s",
    min: 0,
    help: "How long denied decisions are cached.",
  },
  "healthz-port": {
    field: "healthzPort",
    type: "int",
    default: 10248,
    min: 0,
    max: 65535,
    help: "Port of the health endpoint; 0 disables it.",
  },
  "healthz-bind-address": {
    field: "healthzBindAddress",
    type: "ip",
    default: "127.0.0.1",
    help: "Address of the health endpoint.",
  },
  "streaming-connection-idle-timeout": {
    field: "streamingConnectionIdleTimeout",
    type: "duration",
    default: "4h0m0s",
    min: 0,
    help: "How long a streaming connection may be idle before it is closed; 0 means no limit.",
  },
  "enable-debugging-handlers": {
    field: "enableDebuggingHandlers",
    type: "bool",
    default: true,
    help: "Serves logs, exec, attach, run and port-forward.",
  },
  "contention-profiling": {
    field: "enableContentionProfiling",
    type: "bool",
    default: false,
    help: "Enables profiles of blocking, if debugging handlers are enabled.",
  },
  "enable-system-log-handler": {
    field: "enableSystemLogHandler",
    type: "bool",
    default: true,
    help: "Serves the host's log files under /logs/.",
  },
  "enable-system-log-query": {
    field: "enableSystemLogQuery",
    type: "bool",
    default: false,
    help: "Enables log queries of services under /logs/; requires --enable-system-log-handler and feature NodeLogQuery.",
  },
  "enable-profiling-handler": {
    field: "enableProfilingHandler",
    type: "bool",
    default: true,
    help: "Serves profiles under /debug/pprof/.",
  },
  "enable-debug-flags-handler": {
    field: "enableDebugFlagsHandler",
    type: "bool",
    default: true,
    help: "Serves /debug/flags/v.",
  },
});
