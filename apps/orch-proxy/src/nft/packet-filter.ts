import { runProgram } from "../host/run-program.ts";

/** How long one call may take, in milliseconds: tables of tens of thousands of services take some seconds. */
const TIMEOUT_MS = 120_000;

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
  /** All tables of the host. */
  tables(): Promise<readonly TableName[]>;
}

/** @param prefix what runs `nft`, such as `ip netns exec a`; for tests. @default nothing */
export function packetFilter(prefix: readonly string[] = []): PacketFilter {
  const nft = (args: readonly string[], input?: string): Promise<string> => {
    const [program = "nft", ...rest] = [...prefix, "nft", ...args];
    return runProgram([program, ...rest], { timeoutMs: TIMEOUT_MS, ...(input !== undefined && { input }) });
  };
  return {
    load: async (batch) => void (await nft(["-f", "-"], batch)),
    check: async (batch) => void (await nft(["-c", "-f", "-"], batch)),
    async tables() {
      const lines = (await nft(["list", "tables"])).split("\n");
      return lines.flatMap((line) => {
        const [, family, name] = /^table (\S+) (\S+)$/.exec(line) ?? [];
        return family === undefined || name === undefined ? [] : [{ family, name }];
      });
    },
  };
}
