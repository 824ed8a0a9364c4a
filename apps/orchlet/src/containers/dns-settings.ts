import { readFile } from "node:fs/promises";
import type { DnsSettings } from "./dns.ts";

/** Reads the node's resolver file anew each time it is asked: networks come and go. */
export function createDnsSettings(options: {
  /** Path; "" when the node's pods look nothing up by default. */
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
