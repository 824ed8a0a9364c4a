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
      help: "Address at which the members of the cluster reach this server. Blank means --bind-address, and if that is unspecified the default interface of the host.",
    },
    "external-hostname": {
      type: "string",
      default: "",
      help: "Host name in URLs that the server makes for the outside, such as those of discovery and the API documentation.",
    },
    "cors-allowed-origins": {
      type: "strings",
      default: [],
      validate: (sources: readonly string[]) =>
        sources.every(isExpression)
          ? undefined
          : "regular expressions in RE2 syntax, such as ^https://app\\.example\\.org$",
      help: "Origins allowed to make cross-origin requests, as regular expressions that should be anchored with ^ and $. Empty switches CORS off.",
    },
    "strict-transport-security-directives": {
      type: "strings",
      default: [],
      validate: (directives: readonly string[]) =>
        directives.every(isHstsDirective) ? undefined : "a list of max-age=SECONDS, includeSubDomains, preload",
      help: "Directives of the HSTS header, such as max-age=31536000,includeSubDomains,preload. Empty sends no such header.",
    },
    "goaway-chance": {
      type: "float",
      default: 0,
      min: 0,
      max: 0.02,
      help: "Share of HTTP/2 requests that are answered with GOAWAY so that clients spread over the servers; 0 is off, 0.02 the most. Only useful with several servers behind a load balancer.",
    },
  }),
  ...flagSection("Features", {
    profiling: { type: "bool", default: true, help: "Serves profiles under /debug/pprof/." },
    "contention-profiling": {
      type: "bool",
      default: false,
      help: "When profiling is on, serves /debug/pprof/block too: what holds up the event loop while others wait.",
    },
    "debug-socket-path": {
      type: "string",
      default: "",
      help: "Path of a unix socket that serves profiles without any authentication.",
    },
  }),
  ...flagSection("Egress selector", {
    "egress-selector-config-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "File that says through which proxies the server's outgoing connections go.",
    },
  }),
  ...flagSection("Traces", {
    "tracing-config-file": {
      type: "string",
      default: "",
      help: "File with the tracing configuration: where spans go and how many are sampled.",
    },
  }),
};
