import { type FoundElements, type FoundTable, readElements, readTable } from "@orchernetes/proxy";
import { ProgramError, runProgram } from "../host/run-program.ts";

/** How long one call may take, in milliseconds: tables of tens of thousands of services take some seconds. */
const TIMEOUT_MS = 120_000;

/** How much `nft` may print, in characters: rules of thousands of chains, and the elements of one map. */
const MAX_OUTPUT = 64 << 20;

/** A table's family and name. */
export interface TableName {
  readonly family: string;
  readonly name: string;
}

/** The kernel's packet filter, through the program `nft`. */
export interface PacketFilter {
  /** Does what a batch says, wholly or not at all. @throws ProgramError with the message of `nft` */
  load(batch: string): Promise<void>;
  /** Whether a batch could be loaded. @throws ProgramError with the message of `nft` */
  check(batch: string): Promise<void>;
  /** All tables of the host. `nft` reads every rule of every table for it. */
  tables(): Promise<readonly TableName[]>;
  /** Whether there is a table. @throws ProgramError with the message of `nft` */
  has(table: TableName): Promise<boolean>;
  /** What a table consists of. @throws ProgramError with the message of `nft`, also if there is no such table */
  content(table: TableName): Promise<FoundTable>;
  /** The elements of a map. @throws ProgramError with the message of `nft` */
  elements(table: TableName, map: string): Promise<FoundElements>;
}

/** @param prefix what runs `nft`, such as `nsenter --net=FILE`; for tests. @default nothing */
export function packetFilter(prefix: readonly string[] = []): PacketFilter {
  const nft = (args: readonly string[], input?: string): Promise<string> => {
    const [program = "nft", ...rest] = [...prefix, "nft", ...args];
    return runProgram([program, ...rest], {
      timeoutMs: TIMEOUT_MS,
      maxOutput: MAX_OUTPUT,
      ...(input !== undefined && { input }),
    });
  };
  const list = async (args: readonly string[]): Promise<string> => {
    const text = await nft(args);
    if (text.length >= MAX_OUTPUT) throw new ProgramError(`nft ${args.join(" ")}: too much output`);
    return text;
  };
  const tables = async (): Promise<readonly TableName[]> => {
    const lines = (await nft(["list", "tables"])).split("\n");
    return lines.flatMap((line) => {
      const [, family, name] = /^table (\S+) (\S+)$/.exec(line) ?? [];
      return family === undefined || name === undefined ? [] : [{ family, name }];
    });
  };
  return {
    load: async (batch) => void (await nft(["-f", "-"], batch)),
    check: async (batch) => void (await nft(["-c", "-f", "-"], batch)),
    tables,
    async has({ family, name }) {
      // Reads the rules of one table only. It also fails for other reasons than a missing table, which the list of all tells apart.
      const found = await nft(["--terse", "list", "table", family, name]).then(
        () => true,
        () => false,
      );
      return found || (await tables()).some((table) => table.family === family && table.name === name);
    },
    content: async ({ family, name }) => readTable(await list(["--terse", "list", "table", family, name])),
    elements: async ({ family, name }, map) => readElements(await list(["list", "map", family, name, map])),
  };
}
