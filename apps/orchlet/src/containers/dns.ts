import type { core } from "@orchernetes/api";

/** Content of a resolv.conf. */
export interface DnsConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** What the node gives its pods. */
export interface DnsSettings {
  /** Content of the node's resolver file; "" when the node resolves nothing. */
  readonly resolvConf: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
}

const maxServers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;

/** Reads a resolv.conf; the last search line counts. */
function parseResolvConf(text: string): DnsConfig {
  const servers: string[] = [];
  const options: string[] = [];
  let searches: readonly string[] = [];
  for (const line of text.split("\n")) {
    const [keyword, ...fields] = line
      .replace(/[#;].*$/, "")
      .trim()
      .split(/\s+/);
    if (keyword === "nameserver" && fields[0] !== undefined) servers.push(fields[0]);
    if (keyword === "search") searches = fields.map((field) => (field === "." ? field : field.replace(/\.$/, "")));
    if (keyword === "options") options.push(...fields);
  }
  return { servers, searches, options };
}

/**
 * The pod's resolver settings by its DNS policy. Pure. Without cluster DNS servers, ClusterFirst falls back to Default.
 *
 * @param warn told, in the words of an event, when something has to be left out
 */
export function dnsConfigOf(
  pod: core.Pod,
  settings: DnsSettings,
  warn: (reason: string, message: string) => void,
): DnsConfig | undefined {
  const { dnsPolicy = "ClusterFirst", hostNetwork, dnsConfig } = pod.spec;
  const host = parseResolvConf(settings.resolvConf);
  const cluster = dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && !hostNetwork);
  let base: DnsConfig = host;
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

/** Truncates search domains to the limits of resolvers: 32 domains, and 2048 characters including separators. */
function fittingSearches(searches: readonly string[]): readonly string[] {
  let length = -1;
  return searches.slice(0, maxSearches).filter((search) => {
    length += search.length + 1;
    return length <= maxSearchCharacters;
  });
}
