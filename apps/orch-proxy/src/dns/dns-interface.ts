import { isIP } from "node:net";
import { canonicalAddress } from "@orchernetes/dns";
import { messageOf } from "@orchernetes/kernel";
import { ProgramError, runProgram } from "../host/run-program.ts";
import { type FoundInterface, readInterface } from "./read-interface.ts";

/** Longest time of one call of `ip`, in milliseconds. */
const TIMEOUT_MS = 10_000;

const ip = (...args: readonly string[]): Promise<string> => runProgram(["ip", ...args], { timeoutMs: TIMEOUT_MS });

/** Whether the error says that what is to be created exists already, or what is to be removed does not. */
const isSettled = (error: unknown): boolean =>
  error instanceof ProgramError && /File exists|Cannot find device|does not exist|already assigned/.test(error.message);

/** The alias of interfaces that were made here, which says what they are for. */
const ALIAS = "orchernetes cluster DNS";

const settled = (error: unknown): undefined => {
  if (!isSettled(error)) throw error;
};

/**
 * Gives an address to an interface of its own, which is created if it is missing: packets to the address then stay on this
 * host, whatever routes there are. Idempotent; several processes of a host may use one interface.
 *
 * @param dnsAddresses all addresses of cluster DNS
 * @throws ProgramError without iproute2, without the right to change interfaces, or if another program made the interface
 */
export async function addDnsAddress(name: string, address: string, dnsAddresses: readonly string[]): Promise<void> {
  const found = (await find(name)) ?? (await create(name));
  if (!isOwn(found, dnsAddresses)) {
    throw new ProgramError(
      `interface ${name} was not created for cluster DNS: remove it, or set another clusterDNS.interface`,
    );
  }
  if (found.alias !== ALIAS) await ip("link", "set", name, "alias", ALIAS);
  await ip("link", "set", name, "up");
  const bits = isIP(address) === 6 ? 128 : 32;
  // Without duplicate address detection an IPv6 address can be bound at once.
  const flags = bits === 128 ? ["nodad"] : [];
  await ip("address", "add", `${address}/${bits}`, "dev", name, ...flags).catch(settled);
}

/**
 * Removes the interface with its addresses, unless another program made it. Idempotent.
 *
 * @param dnsAddresses all addresses of cluster DNS
 * @returns whether no such interface of cluster DNS is left; false if there is one of another program
 * @throws ProgramError
 */
export async function removeDnsInterface(name: string, dnsAddresses: readonly string[]): Promise<boolean> {
  const found = await find(name);
  if (found === undefined) return true;
  if (!isOwn(found, dnsAddresses)) return false;
  await ip("link", "delete", name).catch(settled);
  return true;
}

async function find(name: string): Promise<FoundInterface | undefined> {
  const text = await ip("-details", "-json", "address", "show", "dev", name).catch(settled);
  return text === undefined ? undefined : readInterface(text, name);
}

async function create(name: string): Promise<FoundInterface> {
  // A bridge without ports does the same in kernels that are built without dummy interfaces.
  await ip("link", "add", name, "type", "dummy")
    .catch((error: unknown) => {
      if (!/Unknown device type|not supported/.test(messageOf(error))) throw error;
      return ip("link", "add", name, "type", "bridge");
    })
    .then(() => ip("link", "set", name, "alias", ALIAS))
    .catch(settled);
  const created = await find(name);
  if (created === undefined) throw new ProgramError(`interface ${name} was removed while it was being set up`);
  return created;
}

/**
 * Whether an interface was made here. Without the alias, which a process may not have come to set, it must have no
 * addresses but those of cluster DNS; and a bridge without any address may be that of another program.
 */
export function isOwn({ kind, alias, addresses }: FoundInterface, dnsAddresses: readonly string[]): boolean {
  if (kind !== "dummy" && kind !== "bridge") return false;
  if (alias !== "") return alias === ALIAS;
  if (kind === "bridge" && addresses.length === 0) return false;
  const known = new Set(dnsAddresses.map(canonicalAddress));
  return addresses.every((address) => known.has(canonicalAddress(address)));
}
