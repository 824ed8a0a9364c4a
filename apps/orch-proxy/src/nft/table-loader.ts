import type { FoundTable } from "@orchernetes/proxy";
import { ProgramTimeoutError } from "../host/run-program.ts";
import type { PacketFilter, TableName } from "./packet-filter.ts";

/** A table as its owner wants it. */
export interface TableSource {
  /** The batch that replaces the table. */
  full(): string | Promise<string>;
  /**
   * The batch that replaces the table and keeps what rules have added to it, if the kernel has the found one; undefined if there is
   * nothing to keep.
   */
  reload?(found: FoundTable): string | undefined;
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

  /** Makes the next call of {@link sync} load the whole table. */
  forget(): void {
    this.#isLoaded = false;
  }

  /**
   * @returns what was loaded
   * @throws ProgramError when `nft` rejects the batch; the next call loads the whole table
   */
  async sync(source: TableSource): Promise<Loaded> {
    const { change } = source;
    // Only looked at when there is nothing to do: a change of a table that is gone fails.
    if (this.#isLoaded && change === undefined) {
      if (await this.#exists()) return "nothing";
      this.#isLoaded = false;
    }
    const isChange = this.#isLoaded && change !== undefined;
    this.#isLoaded = false;
    if (isChange) await this.#filter.load(change);
    else await this.#loadWhole(source);
    this.#isLoaded = true;
    return isChange ? "change" : "full";
  }

  async #loadWhole({ full, reload }: TableSource): Promise<void> {
    const found = reload && (await this.#filter.content(this.#table).catch(() => undefined));
    const batch = found && reload?.(found);
    if (batch !== undefined) {
      try {
        return await this.#filter.load(batch);
      } catch (error) {
        // The found table may be that of another version, or have been changed meanwhile: it is replaced with all that is in it.
        if (error instanceof ProgramTimeoutError) throw error;
      }
    }
    await this.#filter.load(await full());
  }

  async #exists(): Promise<boolean> {
    return await this.#filter.has(this.#table);
  }
}
