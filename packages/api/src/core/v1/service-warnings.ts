import { parseIp } from "@orchernetes/apimachinery";
import type { Service } from "./types/service.ts";

const hints = "service.orchernetes.io/topology-aware-hints";
const mode = "service.orchernetes.io/topology-mode";

/** Warnings for deprecated notations and features of services. */
export function serviceWarnings({ metadata, spec }: Service): string[] {
  const warnings: string[] = [];
  if (Object.hasOwn(metadata.annotations ?? {}, hints))
    warnings.push(`annotation ${hints} is deprecated, please use ${mode} instead`);
  // "None", of headless services, is not an address.
  for (const list of ["clusterIPs", "externalIPs"] as const)
    spec[list]?.forEach((ip, i) => {
      warnings.push(...addressWarnings(`spec.${list}[${i}]`, ip));
    });
  return [...warnings, ...addressWarnings("spec.loadBalancerIP", spec.loadBalancerIP ?? "")];
}

function addressWarnings(path: string, ip: string): string[] {
  if (parseIp(ip) === undefined) return [];
  if (!ip.includes(":"))
    return ip.split(".").every((part) => part === "0" || !part.startsWith("0"))
      ? []
      : [
          `${path}: IP address was accepted, but will be invalid in a future Orchernetes release: ParseAddr("${ip}"): IPv4 field has octet with leading zero`,
        ];
  // URLs write IPv6 addresses as RFC 5952 asks, but for those that end in an IPv4 address.
  if (ip.includes(".")) return [];
  const canonical = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  return canonical === ip
    ? []
    : [
        `${path}: IPv6 address "${ip}" is not in RFC 5952 canonical format ("${canonical}"), which may cause controller apply-loops`,
      ];
}
