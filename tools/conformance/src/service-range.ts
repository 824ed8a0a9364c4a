import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf } from "@orchernetes/kernel";
import { guardAgainstOrphans } from "@orchernetes/testkit";

const run = promisify(execFile);
/** Each run has its own table: another that ends must not open the range of this one. */
const TABLE = ["ip", `o8s-conformance-${process.pid}`] as const;

/** Cluster addresses that no packet to the outside may have. */
export interface ServiceRange {
  open(): Promise<void>;
}

/**
 * Drops packets of this host and its pods that leave with a cluster address. Specs delete a service and expect that nothing answers at its
 * address any more; without this the packet goes to the next router, and there are networks in which something answers at any address.
 *
 * @param cidr - addresses of services
 * @returns undefined, after a line to `print` with the reason, when the rule cannot be set, as without root privileges
 */
export async function closeServiceRange(
  cidr: string,
  print: (line: string) => void,
): Promise<ServiceRange | undefined> {
  const remove = ["nft", "delete", "table", ...TABLE] as const;
  const nft = (...args: readonly string[]) => run("nft", args);
  try {
    await nft("add", "table", ...TABLE);
    // After addresses of services were replaced by those of endpoints. Those that this host has itself, as that of cluster DNS, are
    // reached through the loopback interface.
    await nft("add", "chain", ...TABLE, "out", "{ type filter hook postrouting priority 0; }");
    await nft("flush", "chain", ...TABLE, "out");
    await nft("add", "rule", ...TABLE, "out", "oifname", "!=", "lo", "ip", "daddr", cidr, "drop");
  } catch (error) {
    print(`packets to deleted services leave this host: ${messageOf(error)}`);
    return undefined;
  }
  const guard = guardAgainstOrphans(remove);
  return {
    async open() {
      await nft("delete", "table", ...TABLE);
      guard.dismiss();
    },
  };
}
