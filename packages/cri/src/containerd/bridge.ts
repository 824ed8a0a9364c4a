import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const env = { PATH: "/usr/sbin:/sbin:/usr/bin:/bin" };

/**
 * The address of a bridge in its pod network: the first one, as the CNI bridge plugin chooses it.
 * @throws RangeError when the network is not IPv4
 */
export function bridgeAddress(subnet: string): string {
  const [, start, last] = /^(\d+\.\d+\.\d+\.)(\d+)\/\d+$/.exec(subnet) ?? [];
  if (start === undefined)
    throw new RangeError(`Cannot use pod network "${subnet}": must be an IPv4 network such as 10.244.1.0/24`);
  return `${start}${Number(last) + 1}`;
}

/**
 * Creates the bridge of a pod network before the first pod does, so that the node has its address in that network
 * from the start. Idempotent.
 */
export async function ensureBridge(bridge: string, subnet: string): Promise<void> {
  const address = `${bridgeAddress(subnet)}/${subnet.split("/")[1]}`;
  await run("ip", ["link", "add", "name", bridge, "type", "bridge"], { env }).catch((error: { stderr?: string }) => {
    if (!String(error.stderr).includes("File exists")) throw error;
  });
  await run("ip", ["address", "replace", address, "dev", bridge], { env });
  await run("ip", ["link", "set", bridge, "up"], { env });
}

/** Deletes the bridge. Idempotent. */
export async function deleteBridge(bridge: string): Promise<void> {
  await run("ip", ["link", "delete", bridge], { env }).catch(() => undefined);
}
