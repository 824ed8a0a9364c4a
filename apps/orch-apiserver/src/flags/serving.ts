import { isHstsDirective } from "@orchernetes/apiserver";
import { flagSection, servingFlags } from "@orchernetes/component";
import { compileRe2 } from "../re2.ts";

function isExpression(source: string): boolean {
  try {
    compileRe2(source);
    return true;
  } catch {
    return false;
  }
}

/** Addresses, ports, certificates, and how the server behaves on the network. */
export const servingSection = {
  ...servingFlags({ port: 6443, minPort: 1, certDir: "/var/run/orchernetes" }),
  ...flagSection("Generic", {
    "advertise-address": {
      type: "ip",
      default: "",
      help: "Address that the members of the cluster use to reach this server. If it is blank, --bind-address is used, or the host's default interface if that is unspecified.",
    },
    "external-hostname": {
      type: "string",
      default: "",
      help: "Host name to use in URLs for external clients, such as those of discovery and the API documentation.",
    },
    "cors-allowed-origins": {
      type: "strings",
      default: [],
      validate: (sources: readonly string[]) =>
        sources.every(isExpression)
          ? undefined
          : "regular expressions in RE2 syntax, such as ^https://app\\.example\\.org$",
      help: "Origins allowed to make cross-origin requests, as regular expressions that should be anchored with ^ and $. Empty disables CORS.",
    },
    "strict-transport-security-directives": {
      type: "strings",
      default: [],
      validate: (directives: readonly string[]) =>
        directives.every(isHstsDirective) ? undefined : "a list of max-age=SECONDS, includeSubDomains, preload",
      help: "Directives of the HSTS header, such as max-age=31536000,includeSubDomains,preload. If it is empty, the header is not sent.",
    },
    "goaway-chance": {
      type: "float",
      default: 0,
      min: 0,
      max: 0.02,
      help: "Fraction of HTTP/2 requests that are answered with GOAWAY so that clients are distributed over the servers; 0 disables it, the maximum is 0.02. Only useful with several servers behind a load balancer.",
    },
  }),
  ...flagSection("Features", {
    profiling: { type: "bool", default: true, help: "Serves profiles under /debug/pprof/." },
    "contention-profiling": {
      type: "bool",
      default: false,
      help: "Serves /debug/pprof/block, which shows what blocks the event loop, if profiling is enabled.",
    },
    "debug-socket-path": {
      type: "string",
      default: "",
      help: "Path of a unix socket that serves profiles without authentication.",
    },
  }),
  ...flagSection("Egress selector", {
    "egress-selector-config-file": {
      type: "string",
      default: "",
      help: "File with the configuration of proxies for the server's outgoing connections.",
    },
  }),
  ...flagSection("Traces", {
    "tracing-config-file": {
      type: "string",
      default: "",
      help: "File with the tracing configuration: the destination and the sampling rate of spans.",
    },
  }),
};
