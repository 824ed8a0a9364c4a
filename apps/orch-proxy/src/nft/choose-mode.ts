import { ConfigurationError } from "@orchernetes/component";
import type { OrchProxyConfiguration } from "@orchernetes/config";
import { type Logger, messageOf } from "@orchernetes/kernel";
import type { PacketFilter } from "./packet-filter.ts";

/** How services are served. */
export type Mode = "nftables" | "userspace";

/** What a table of services consists of, as far as kernels differ in it. */
const PROBE = `add table inet orch-proxy-probe
add map inet orch-proxy-probe m { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }
add chain inet orch-proxy-probe c { type nat hook prerouting priority -100; }
add rule inet orch-proxy-probe c dnat ip addr . port to ip daddr . meta l4proto . th dport map @m
`;

/**
 * The mode that is asked for, or nftables where this process can use it, else userspace.
 *
 * @throws ConfigurationError when nftables is asked for and cannot be used
 */
export async function chooseMode(
  asked: OrchProxyConfiguration["mode"],
  filter: PacketFilter,
  logger: Logger,
): Promise<Mode> {
  if (asked === "userspace") return "userspace";
  try {
    await filter.check(PROBE);
    return "nftables";
  } catch (error) {
    const why = messageOf(error);
    if (asked !== "")
      throw new ConfigurationError([
        `mode "${asked}" cannot be used: ${why}; want the program nft, and permission to change packet filter rules`,
      ]);
    logger.warn(
      "Unable to use nftables: services are served in user space at loopback addresses, such as 127.96.0.1 for 10.96.0.1",
      {
        why,
      },
    );
    return "userspace";
  }
}
