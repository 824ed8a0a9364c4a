import { type Logger, messageOf } from "@orchernetes/kernel";
import type { KernelParameters } from "./kernel-parameters.ts";
import { runProgram } from "./run-program.ts";

/** How long the kernel may take to load a module, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Loads the kernel module that passes packets between ports of a bridge to the packet filter, unless it is there. A failure is
 * logged: where there are no bridges it does not matter.
 *
 * @param load @default the program `modprobe`
 */
export async function ensureBridgeFilter(
  parameters: KernelParameters,
  logger: Logger,
  load: () => Promise<unknown> = () => runProgram(["modprobe", "br_netfilter"], { timeoutMs: TIMEOUT_MS }),
): Promise<void> {
  if ((await parameters.read("net/bridge/bridge-nf-call-iptables")) !== undefined) return;
  try {
    await load();
    logger.info(
      "Loaded the kernel module br_netfilter, which passes packets between pods of one bridge to the packet filter",
    );
  } catch (error) {
    logger.warn("Unable to load the kernel module br_netfilter", { error: messageOf(error) });
  }
}
