import type { PacketFilter, TableName } from "./packet-filter.ts";

/**
 * Removes the tables of a daemon: the one of this name, and those whose names begin with it and a dash.
 *
 * @returns the names of the removed ones
 */
export async function removeTables(filter: PacketFilter, tableName: string): Promise<readonly string[]> {
  const isOwn = ({ name }: TableName): boolean => name === tableName || name.startsWith(`${tableName}-`);
  const own = (await filter.tables()).filter(isOwn);
  if (own.length > 0) await filter.load(own.map(({ family, name }) => `delete table ${family} ${name}\n`).join(""));
  return own.map(({ name }) => name);
}
