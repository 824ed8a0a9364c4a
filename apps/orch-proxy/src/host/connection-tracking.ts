import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import type { StaleFlows } from "@orchernetes/proxy";
import { runProgram } from "./run-program.ts";

/** How long the deletion of entries may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** A line for each family that the entries may have. */
function lines({ address, port, endpoint }: StaleFlows): readonly string[] {
  const families =
    address === undefined && endpoint === undefined ? ["ipv4", "ipv6"] : [familyOf(address ?? endpoint?.address)];
  return families.map((family) =>
    [
      `-D -f ${family} -p udp --orig-port-dst ${port}`,
      ...(address === undefined ? [] : [`--orig-dst ${address}`]),
      ...(endpoint === undefined ? [] : [`--dst-nat ${endpoint.address}`]),
    ].join(" "),
  );
}

const familyOf = (address = ""): string => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** The commands, one a line, that delete entries of connection tracking. */
export const deletions = (flows: readonly StaleFlows[]): string =>
  [...new Set(flows.flatMap(lines))].map((line) => `${line}\n`).join("");

/**
 * Makes a function that deletes entries of the kernel's connection tracking; that there are none is no error. It rejects with a
 * ProgramError when the program `conntrack` is missing or fails.
 *
 * @param prefix what runs `conntrack`, for tests
 */
export function flowDeleter(prefix: readonly string[] = []): (flows: readonly StaleFlows[]) => Promise<void> {
  const conntrack = async (args: readonly string[]): Promise<void> => {
    const [program = "conntrack", ...rest] = [...prefix, "conntrack", ...args];
    await runProgram([program, ...rest], { timeoutMs: TIMEOUT_MS });
  };
  /** conntrack-tools before 1.4.7, such as those of Debian 11, delete with one run for each line. */
  let isOld = false;
  return async (flows) => {
    const commands = deletions(flows);
    if (commands === "") return;
    try {
      if (!isOld) return await withFile(commands, (file) => conntrack(["--load-file", file]));
    } catch (error) {
      if (!/unrecognized option|unknown option/i.test(messageOf(error))) throw error;
      isOld = true;
    }
    for (const command of commands.trimEnd().split("\n")) await conntrack(command.split(" ")).catch(unlessNone);
  };
}

/**
 * Runs `work` with a file of its own. `conntrack` opens its standard input by name where it is told to read that, and the standard input of
 * a process that Node starts is a socket, which cannot be opened by name.
 */
async function withFile(content: string, work: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "orch-proxy-"));
  try {
    const file = join(folder, "deletions");
    await writeFile(file, content, { mode: 0o600 });
    await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A run that finds nothing to delete fails. */
function unlessNone(error: unknown): void {
  if (!/\b0 flow entries have been deleted/.test(messageOf(error))) throw error;
}
