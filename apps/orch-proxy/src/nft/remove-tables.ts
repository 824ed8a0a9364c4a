import type { PacketFilter, TableName } from "./packet-filter.ts";

/** The name of the table that checks the addresses that pods send from. */
export const sourcesTable = (tableName: string): string => `${tableName}-sources`;

/**
 * Removes the tables of a daemon: those of services, of policies and of the addresses that pods send from. Other tables whose names begin
 * in the same way may belong to other daemons. The guard of loopback addresses is not among them: see `removeLocalnetGuard`.
 *
 * @returns the names of the removed ones
 */
export async function removeTables(filter: PacketFilter, tableName: string): Promise<readonly string[]> {
  const isOwn = ({ family, name }: TableName): boolean =>
    (family === "inet" && (name === tableName || name === `${tableName}-policy`)) ||
    (family === "bridge" && name === sourcesTable(tableName));
  const own = (await filter.tables()).filter(isOwn);
  if (own.length > 0) await filter.load(own.map(({ family, name }) => `delete table ${family} ${name}\n`).join(""));
  return own.map(({ name }) => name);
}
