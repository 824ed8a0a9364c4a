import { isAllowedPath } from "@orchernetes/auth";
import { flagSection } from "../flag.ts";

/**
 * The flags of daemons that ask the API server who a caller is and what it may do.
 * @param tolerateLookupFailure default of `--authentication-tolerate-lookup-failure`
 */
export function delegatedAuthFlags<const T extends boolean>(tolerateLookupFailure: T) {
  const authentication = flagSection("Authentication", {
    "authentication-orchconfig": {
      type: "string",
      default: "",
      help: "Client configuration for creating token reviews at the API server. If it is not set, all token requests are treated as anonymous and no client CA is looked up in the cluster.",
    },
    "authentication-skip-lookup": {
      type: "bool",
      default: false,
      help: "Does not look up missing authentication settings in the cluster.",
    },
    "authentication-token-webhook-cache-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "How long responses of token reviews are cached.",
    },
    "authentication-tolerate-lookup-failure": {
      type: "bool",
      default: tolerateLookupFailure,
      help: "Continues if authentication settings cannot be looked up; all requests may then be treated as anonymous.",
    },
    "client-ca-file": {
      type: "string",
      default: "",
      help: "PEM bundle of authorities. A client certificate signed by one of them authenticates its holder: the common name is the user, the organizations are the groups.",
    },
    "requestheader-client-ca-file": {
      type: "string",
      default: "",
      help: "PEM bundle of authorities that sign the certificates of front proxies, whose identity headers are then trusted.",
    },
    "requestheader-allowed-names": {
      type: "strings",
      default: [],
      help: "Allowed common names of a front proxy's certificate; empty allows every certificate that --requestheader-client-ca-file verifies.",
    },
    "requestheader-username-headers": {
      type: "strings",
      default: ["x-remote-user"],
      help: "Headers to inspect for the user name.",
    },
    "requestheader-group-headers": {
      type: "strings",
      default: ["x-remote-group"],
      help: "Headers to inspect for groups.",
    },
    "requestheader-extra-headers-prefix": {
      type: "strings",
      default: ["x-remote-extra-"],
      help: "Prefixes of headers to inspect for extra values of the user.",
    },
  });
  const authorization = flagSection("Authorization", {
    "authorization-always-allow-paths": {
      type: "strings",
      default: ["/healthz", "/readyz", "/livez"],
      validate: (paths) =>
        paths.every(isAllowedPath) ? undefined : "paths with an asterisk as their last character only",
      help: "Paths that are allowed without authorization by the API server; a path ending in * matches all paths with that prefix.",
    },
    "authorization-orchconfig": {
      type: "string",
      default: "",
      help: "Client configuration for creating subject access reviews at the API server. If it is not set, all requests that --authorization-always-allow-paths does not allow are forbidden.",
    },
    "authorization-webhook-cache-authorized-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "How long allowed decisions are cached.",
    },
    "authorization-webhook-cache-unauthorized-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "How long denied decisions are cached.",
    },
  });
  return { ...authentication, ...authorization };
}
