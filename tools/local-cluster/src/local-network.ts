import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "@orchernetes/cri/containerd";

const run = promisify(execFile);

/** Whether this host can be given addresses: Linux, root, iproute2. */
export function canAddLocalNetwork(): boolean {
  return process.platform === "linux" && process.getuid?.() === 0 && findProgram("ip") !== undefined;
}

/** Makes every address of the network one of this host's. Idempotent; does nothing for loopback networks, which are. */
export async function addLocalNetwork(cidr: string): Promise<void> {
  const ip = findProgram("ip");
  if (cidr.startsWith("127.") || ip === undefined) return;
  await run(ip, ["route", "replace", "local", cidr, "dev", "lo"]);
}

/** Removes the network. Idempotent. */
export async function removeLocalNetwork(cidr: string): Promise<void> {
  const ip = findProgram("ip");
  if (cidr.startsWith("127.") || ip === undefined) return;
  await run(ip, ["route", "delete", "local", cidr, "dev", "lo"]).catch(() => undefined);
}
