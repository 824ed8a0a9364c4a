import type { PacketFilter, TableName } from "./packet-filter.ts";

/** A table as its owner wants it. */
export interface TableSource {
  /** The batch that replaces the table. */
  full(): string;
  /** The batch with what has changed since the last call; undefined: nothing has. */
  change: string | undefined;
}

/** What was loaded. */
export type Loaded = "full" | "change" | "nothing";

/**
 * Keeps one table of the packet filter as its owner wants it. It loads the whole table at first, after an error, and if another
 * program has removed it, otherwise only changes. Calls must not overlap.
 */
export class TableLoader {
  readonly #filter: PacketFilter;
  readonly #table: TableName;
  #isLoaded = false;

  constructor(filter: PacketFilter, table: TableName) {
    this.#filter = filter;
    this.#table = table;
  }

  /** Whether the next change is loaded alone. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /**
   * @returns what was loaded
   * @throws ProgramError when `nft` rejects the batch; the next call loads the whole table
   */
  async sync({ full, change }: TableSource): Promise<Loaded> {
    // Only looked at when there is nothing to do: a change of a table that is gone fails.
    if (this.#isLoaded && change === undefined) {
      if (await this.#exists()) return "nothing";
      this.#isLoaded = false;
    }
    const isChange = this.#isLoaded && change !== undefined;
    this.#isLoaded = false;
    await this.#filter.load(isChange ? change : full());
    this.#isLoaded = true;
    return isChange ? "change" : "full";
  }

  async #exists(): Promise<boolean> {
    const tables = await this.#filter.tables();
    return tables.some(({ family, name }) => family === this.#table.family && name === this.#table.name);
  }
}
