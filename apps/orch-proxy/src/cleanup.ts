import type { OrchProxyConfiguration } from "@orchernetes/config";
import { type Logger, messageOf } from "@orchernetes/kernel";
import { removeDnsInterface } from "./dns/dns-interface.ts";
import type { PacketFilter } from "./nft/packet-filter.ts";
import { removeTables } from "./nft/remove-tables.ts";

/**
 * Removes what daemons with this configuration have left on the host: their tables, and the interface of cluster DNS. Kernel
 * parameters stay as they are: other programs may need them by now.
 *
 * @throws Error when something is there and cannot be removed
 */
export async function cleanUp(settings: OrchProxyConfiguration, filter: PacketFilter, logger: Logger): Promise<void> {
  const { nftables, clusterDNS } = settings;
  await unlessMissing("nft", logger, async () => {
    const removed = await removeTables(filter, nftables.tableName);
    logger.info("Removed the tables of the packet filter", { tables: removed });
  });
  if (clusterDNS.addresses.length > 0 && clusterDNS.interface !== "")
    await unlessMissing("ip", logger, async () => {
      await removeDnsInterface(clusterDNS.interface);
      logger.info("Removed the interface of cluster DNS", { interface: clusterDNS.interface });
    });
}

/** Without the program nothing can have been made by it. */
async function unlessMissing(program: string, logger: Logger, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!/ENOENT/.test(messageOf(error))) throw error;
    logger.info("There is no such program, and so nothing of it to remove", { program });
  }
}
