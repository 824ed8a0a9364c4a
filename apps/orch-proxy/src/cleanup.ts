import type { OrchProxyConfiguration } from "@orchernetes/config";
import { type Logger, messageOf } from "@orchernetes/kernel";
import { removeDnsInterface } from "./dns/dns-interface.ts";
import type { KernelParameters } from "./host/kernel-parameters.ts";
import { removeLocalnetGuard } from "./nft/localnet-guard.ts";
import type { PacketFilter } from "./nft/packet-filter.ts";
import { removeTables } from "./nft/remove-tables.ts";

/** What a host is cleaned up with. */
export interface CleanUpTools {
  readonly filter: PacketFilter;
  readonly parameters: KernelParameters;
  readonly logger: Logger;
}

/**
 * Removes what daemons with this configuration have left on the host: their tables, and the interface of cluster DNS. Kernel
 * parameters stay as they are, because other programs may need them by now, but for `route_localnet`, which is turned off with
 * the last table that keeps other hosts from loopback addresses.
 *
 * @throws Error when something is there and cannot be removed
 */
export async function cleanUp(settings: OrchProxyConfiguration, tools: CleanUpTools): Promise<void> {
  const { filter, parameters, logger } = tools;
  const { nftables, clusterDNS } = settings;
  await unlessMissing("nft", logger, async () => {
    const removed = await removeTables(filter, nftables.tableName);
    logger.info("Removed the tables of the packet filter", { tables: removed });
  });
  if (clusterDNS.addresses.length > 0 && clusterDNS.interface !== "")
    await unlessMissing("ip", logger, async () => {
      const removed = await removeDnsInterface(clusterDNS.interface, clusterDNS.addresses);
      const values = { interface: clusterDNS.interface };
      if (removed) logger.info("Removed the interface of cluster DNS", values);
      else logger.warn("Kept the interface, because another program created it", values);
    });
  // At the end: where the parameter cannot be turned off this fails, and everything else has been removed.
  await unlessMissing("nft", logger, async () => {
    if (await removeLocalnetGuard(filter, nftables.tableName, parameters))
      logger.info("Removed the table that blocks access of other hosts to loopback addresses");
  });
}

/** Without the program nothing can have been made by it. */
async function unlessMissing(program: string, logger: Logger, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!/ENOENT/.test(messageOf(error))) throw error;
    logger.info("Nothing to remove, because the program does not exist", { program });
  }
}
