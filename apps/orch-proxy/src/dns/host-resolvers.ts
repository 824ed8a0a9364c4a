import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { type OrchProxyConfiguration, parseHostPort } from "@orchernetes/config";
import type { UpstreamAddress } from "@orchernetes/dns";
import { parseResolverFile } from "@orchernetes/host";
import type { Clock, Logger } from "@orchernetes/kernel";

/** Milliseconds between two reads of the file, which changes with the networks of the host. */
const READ_MS = 10_000;

/** Servers of a resolver file that are used, as in glibc. */
const MAX_SERVERS = 3;

const DNS_PORT = 53;

type Settings = Pick<OrchProxyConfiguration["clusterDNS"], "upstreams" | "resolverFile">;

/** The servers for names outside of the cluster. Without a file there are none. */
export async function readUpstreams({ upstreams, resolverFile }: Settings): Promise<readonly UpstreamAddress[]> {
  if (upstreams.length > 0) {
    const parsed = upstreams.map((text) => parseHostPort(text, DNS_PORT)).filter((one) => one !== undefined);
    return parsed.map(({ host, port }) => ({ address: host, port }));
  }
  const text = resolverFile === "" ? "" : await readFile(resolverFile, "utf8").catch(() => "");
  const servers = parseResolverFile(text).servers.filter((server) => isIP(server) !== 0);
  return servers.slice(0, MAX_SERVERS).map((address) => ({ address, port: DNS_PORT }));
}

/** Calls `changed` when the servers differ from `initial`, and again after each change, until the signal aborts. */
export async function followUpstreams(
  settings: Settings,
  initial: readonly UpstreamAddress[],
  options: {
    readonly changed: (upstreams: readonly UpstreamAddress[]) => void;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { changed, clock, logger, signal } = options;
  let known = JSON.stringify(initial);
  while (!signal.aborted) {
    await clock.sleep(READ_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    const upstreams = await readUpstreams(settings);
    const text = JSON.stringify(upstreams);
    if (text === known) continue;
    known = text;
    logger.info("The DNS servers of the host changed", { upstreams });
    changed(upstreams);
  }
}
