import { fullBatch, type NftTable } from "@orchernetes/proxy";
import type { KernelParameters } from "../host/kernel-parameters.ts";
import { ROUTE_LOCALNET } from "../host/needed-parameters.ts";
import type { PacketFilter, TableName } from "./packet-filter.ts";

const SUFFIX = "-localnet";

/**
 * The batch of a table that keeps other hosts from the loopback addresses of this one. `route_localnet`, which node ports on
 * loopback addresses need, would let their packets in (CVE-2020-8558): only those that a rule has sent there pass.
 *
 * @param tableName name of the table of services, which this one's begins with
 */
export function localnetGuard(tableName: string): string {
  const table: NftTable = {
    family: "ip",
    name: `${tableName}${SUFFIX}`,
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

/**
 * Removes the guard, and turns `route_localnet` off first unless the guard of another daemon is left: without any, hosts of the
 * same network would reach programs that listen on loopback addresses alone.
 *
 * @returns whether there was a guard
 * @throws Error if the parameter cannot be turned off; the guard stays then
 */
export async function removeLocalnetGuard(
  filter: PacketFilter,
  tableName: string,
  parameters: KernelParameters,
): Promise<boolean> {
  const name = `${tableName}${SUFFIX}`;
  const guards = (await filter.tables()).filter(isGuard);
  if (!guards.some((guard) => guard.name === name)) return false;
  if (guards.length === 1) await turnOff(parameters);
  await filter.load(`delete table ip ${name}\n`);
  // Of two daemons that clean up at the same time each has seen the guard of the other one.
  if (guards.length === 1 || (await filter.tables()).some(isGuard)) return true;
  try {
    await turnOff(parameters);
  } catch (error) {
    await filter.load(localnetGuard(tableName));
    throw error;
  }
  return true;
}

const isGuard = ({ family, name }: TableName): boolean => family === "ip" && name.endsWith(SUFFIX);

async function turnOff(parameters: KernelParameters): Promise<void> {
  if ((await parameters.read(ROUTE_LOCALNET)) !== "0") await parameters.write(ROUTE_LOCALNET, "0");
}
