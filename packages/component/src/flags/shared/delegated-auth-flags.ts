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
      help: "Client configuration for creating token reviews at the API server. Without it every token counts as anonymous and no client CA is looked up in the cluster.",
    },
    "authentication-skip-lookup": {
      type: "bool",
      default: false,
      effect: "none",
      help: "Does not look up missing authentication settings in the cluster.",
    },
    "authentication-token-webhook-cache-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "How long an answer about a token is kept.",
    },
    "authentication-tolerate-lookup-failure": {
      type: "bool",
      default: tolerateLookupFailure,
      effect: "none",
      help: "Keeps going when authentication settings cannot be looked up; every request may then count as anonymous.",
    },
    "client-ca-file": {
      type: "string",
      default: "",
      help: "PEM bundle of authorities. A client certificate signed by one of them names its holder: user by common name, groups by organization.",
    },
    "requestheader-client-ca-file": {
      type: "string",
      default: "",
      help: "PEM bundle of authorities that sign the certificates of front proxies, whose identity headers are then believed.",
    },
    "requestheader-allowed-names": {
      type: "strings",
      default: [],
      help: "Common names a front proxy's certificate may bear; empty allows every certificate that --requestheader-client-ca-file verifies.",
    },
    "requestheader-username-headers": {
      type: "strings",
      default: ["x-remote-user"],
      help: "Headers to look for the user name in.",
    },
    "requestheader-group-headers": {
      type: "strings",
      default: ["x-remote-group"],
      help: "Headers to look for groups in.",
    },
    "requestheader-extra-headers-prefix": {
      type: "strings",
      default: ["x-remote-extra-"],
      help: "Prefixes of headers that carry extra facts about the user.",
    },
  });
  const authorization = flagSection("Authorization", {
    "authorization-always-allow-paths": {
      type: "strings",
      default: ["/healthz", "/readyz", "/livez"],
      validate: (paths) =>
        paths.every(isAllowedPath) ? undefined : "paths with an asterisk as their last character only",
      help: "Paths that anyone may use without the API server being asked; a path ending in * covers all that start with what is before it.",
    },
    "authorization-orchconfig": {
      type: "string",
      default: "",
      help: "Client configuration for creating subject access reviews at the API server. Without it every request that is not let through by --authorization-always-allow-paths is forbidden.",
    },
    "authorization-webhook-cache-authorized-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "How long a permission is kept.",
    },
    "authorization-webhook-cache-unauthorized-ttl": {
      type: "duration",
      default: "10s",
      min: 0,
      help: "How long a refusal is kept.",
    },
  });
  return { ...authentication, ...authorization };
}
