import { fullBatch, type NftTable } from "@orchernetes/proxy";

/**
 * The batch of a table that keeps other hosts from the loopback addresses of this one. `route_localnet`, which node ports on
 * loopback addresses need, would let their packets in (CVE-2020-8558): only those that a rule has sent there pass.
 *
 * @param tableName name of the table of services, which this one's begins with
 */
export function localnetGuard(tableName: string): string {
  const table: NftTable = {
    family: "ip",
    name: `${tableName}-localnet`,
    sets: [],
    chains: [
      {
        name: "input",
        hook: { type: "filter", hook: "input", priority: 0 },
        rules: ['iifname != "lo" ip daddr 127.0.0.0/8 ct state != { established, related } ct status & dnat == 0 drop'],
      },
    ],
  };
  return fullBatch(table);
}
