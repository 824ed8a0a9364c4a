import { readFile } from "node:fs/promises";
import type { core } from "@orchernetes/api";
import { parseResolverFile, type ResolverFile } from "@orchernetes/host";

/** Content of a resolv.conf. */
export type DnsConfig = ResolverFile;

/** The node's settings for name resolution in pods. */
export interface DnsSettings {
  /** Content of the node's resolver file; "" if there is none: pods that use it then resolve nothing. */
  readonly resolvConf: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
}

/**
 * Returns a function that reads the node's resolver file on each call, because the file changes with the node's
 * networks.
 */
export function createDnsSettings(options: {
  /** Path of the node's resolver file; "" for none: pods with policy Default then resolve nothing. */
  readonly resolvConf: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
}): () => Promise<DnsSettings> {
  const { resolvConf, clusterDNS, clusterDomain } = options;
  return async () => ({
    resolvConf: resolvConf === "" ? "" : await readFile(resolvConf, "utf8").catch(() => ""),
    clusterDNS,
    clusterDomain,
  });
}

/** Limits of resolvers (MAXNS of glibc) and of the API's validation of `spec.dnsConfig`. */
const maxServers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;
/** Longest DNS name. Some resolvers, such as glibc 2.28, abort on a longer search domain. */
const maxNameCharacters = 253;

/** Resolves nothing. It is not empty, because runtimes replace an empty configuration by the host's file. */
const withoutServers: DnsConfig = { servers: ["127.0.0.1"], searches: ["."], options: [] };

/**
 * The pod's resolver settings according to its DNS policy. Pure. Without cluster DNS servers, ClusterFirst falls back
 * to Default.
 *
 * @param warn called with the reason and message of an event for each kind of entry that exceeds a limit and is omitted
 */
export function dnsConfigOf(
  pod: core.Pod,
  settings: DnsSettings,
  warn: (reason: string, message: string) => void,
): DnsConfig | undefined {
  const { dnsPolicy = "ClusterFirst", hostNetwork, dnsConfig } = pod.spec;
  const host = parseResolverFile(settings.resolvConf);
  const cluster = dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && !hostNetwork);
  let base: DnsConfig = settings.resolvConf === "" ? withoutServers : host;
  if (dnsPolicy === "None") base = { servers: [], searches: [], options: [] };
  else if (cluster && settings.clusterDNS.length > 0) {
    const { clusterDomain } = settings;
    const namespace = pod.metadata.namespace ?? "default";
    const searches =
      clusterDomain === "" ? [] : [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
    base = {
      servers: settings.clusterDNS,
      searches: [...searches, ...host.searches.filter((search) => !searches.includes(search))],
      options: ["ndots:5"],
    };
  }
  // `spec.dnsConfig` is merged into the result of every policy; its options replace those with the same name.
  const own = dnsConfig ?? {};
  const ownOptions = (own.options ?? []).map(({ name = "", value }) => (value ? `${name}:${value}` : name));
  const overridden = new Set(ownOptions.map((option) => option.split(":")[0]));
  const merged: DnsConfig = {
    servers: [...new Set([...base.servers, ...(own.nameservers ?? [])])],
    searches: [...new Set([...base.searches, ...(own.searches ?? [])])],
    options: [...base.options.filter((option) => !overridden.has(option.split(":")[0])), ...ownOptions],
  };
  if (merged.servers.length > maxServers) {
    warn(
      "DNSConfigForming",
      `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${merged.servers.slice(0, maxServers).join(" ")}`,
    );
  }
  const searches = fittingSearches(merged.searches);
  if (searches.length < merged.searches.length) {
    warn(
      "DNSConfigForming",
      `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${searches.join(" ")}`,
    );
  }
  return {
    servers: merged.servers.slice(0, maxServers),
    searches,
    options: merged.options,
  };
}

/**
 * Truncates search domains to the limits of resolvers: 32 domains, and 2048 characters including separators. Of these,
 * domains of more than 253 characters are omitted.
 */
function fittingSearches(searches: readonly string[]): readonly string[] {
  // The first domain has no separator before it.
  let length = -1;
  return searches.slice(0, maxSearches).filter((search) => {
    if (search.length > maxNameCharacters) return false;
    length += search.length + 1;
    return length <= maxSearchCharacters;
  });
}
