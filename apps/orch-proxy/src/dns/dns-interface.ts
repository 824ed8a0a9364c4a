import { isIP } from "node:net";
import { messageOf } from "@orchernetes/kernel";
import { ProgramError, runProgram } from "../host/run-program.ts";

/** Time for one call of `ip`. */
const TIMEOUT_MS = 10_000;

const ip = (...args: readonly string[]): Promise<string> => runProgram(["ip", ...args], { timeoutMs: TIMEOUT_MS });

/** Whether the error says that what should be made exists, or what should be removed does not. */
const isSettled = (error: unknown): boolean =>
  error instanceof ProgramError && /File exists|Cannot find device|does not exist|already assigned/.test(error.message);

/**
 * Gives an address to an interface of its own, which is created if it is missing: packets to the address then stay on this
 * host, whatever routes there are. Idempotent; several processes of a host may use one interface.
 *
 * @throws ProgramError without iproute2 or without the right to change interfaces
 */
export async function addDnsAddress(name: string, address: string): Promise<void> {
  const settled = (error: unknown) => {
    if (!isSettled(error)) throw error;
  };
  // A bridge without ports does the same in kernels that are built without dummy interfaces.
  await ip("link", "add", name, "type", "dummy")
    .catch((error: unknown) => {
      if (!/Unknown device type|not supported/.test(messageOf(error))) throw error;
      return ip("link", "add", name, "type", "bridge");
    })
    .catch(settled);
  await ip("link", "set", name, "up");
  const bits = isIP(address) === 6 ? 128 : 32;
  // Without duplicate address detection an IPv6 address can be bound at once.
  const flags = bits === 128 ? ["nodad"] : [];
  await ip("address", "add", `${address}/${bits}`, "dev", name, ...flags).catch(settled);
}

/** Removes the interface with its addresses. Idempotent. @throws ProgramError */
export async function removeDnsInterface(name: string): Promise<void> {
  await ip("link", "delete", name).catch((error: unknown) => {
    if (!isSettled(error)) throw error;
  });
}
