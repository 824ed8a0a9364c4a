import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CriClient } from "@orchernetes/cri";
import { assertNever, type Logger, messageOf } from "@orchernetes/kernel";

/** How a pod that is behind a service reaches itself through it, if the node's bridge connects its pods (`hairpinMode`). */
export type HairpinMode = "promiscuous-bridge" | "hairpin-veth" | "none";

/** Where the kernel shows processes and interfaces. */
export interface KernelFolders {
  /** @default "/proc" */
  readonly proc?: string;
  /** @default "/sys" */
  readonly sys?: string;
}

/** A sandbox has a few interfaces; a program in it could make any number. */
const maxInterfaces = 64;
/** Bit of the flags of an interface that makes it accept all packets (IFF_PROMISC of netdevice(7)). */
const promiscuous = 0x100;

const read = (...path: readonly string[]): string | undefined => {
  try {
    return readFileSync(join(...path), "utf8").trim();
  } catch {
    return undefined;
  }
};

const list = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Indices of the other ends of the links of a process's network. */
function peersOf(pid: number, proc: string): ReadonlySet<string> {
  const folder = join(proc, String(pid), "root/sys/class/net");
  const links = list(folder).slice(0, maxInterfaces);
  return new Set(
    links.flatMap((name) => {
      const [own, peer] = [read(folder, name, "ifindex"), read(folder, name, "iflink")];
      return peer === undefined || peer === own ? [] : [peer];
    }),
  );
}

/**
 * Sets how the bridge treats frames that a pod's network sends to itself: on the ports of bridges that lead to it, and with
 * `promiscuous-bridge` on these bridges. A network that no bridge connects is left as it is.
 *
 * @param pid a process of the pod's network
 * @returns names of the ports
 * @throws Error where the kernel refuses a change
 */
export function setHairpin(
  mode: HairpinMode,
  pid: number,
  { proc = "/proc", sys = "/sys" }: KernelFolders = {},
): readonly string[] {
  const interfaces = join(sys, "class/net");
  const peers = peersOf(pid, proc);
  const ports = list(interfaces).filter(
    (name) =>
      peers.has(read(interfaces, name, "ifindex") ?? "") && read(interfaces, name, "brport/hairpin_mode") !== undefined,
  );
  for (const port of ports) {
    const set = (on: boolean): void => writeFileSync(join(interfaces, port, "brport/hairpin_mode"), on ? "1" : "0");
    switch (mode) {
      case "hairpin-veth":
        set(true);
        break;
      case "none":
        set(false);
        break;
      case "promiscuous-bridge": {
        set(false);
        const file = join(interfaces, port, "brport/bridge/flags");
        writeFileSync(file, `0x${(Number(read(file)) | promiscuous).toString(16)}`);
        break;
      }
      default:
        assertNever(mode);
    }
  }
  return ports;
}

/** What sets the mode for new sandboxes. */
export interface HairpinOptions {
  readonly cri: CriClient;
  readonly logger: Logger;
  readonly folders?: KernelFolders;
}

/**
 * Sets the mode for a sandbox that has just been created. What fails is logged: a pod without it can do all but reach itself.
 *
 * @param podSandboxId of a sandbox with a network of its own
 */
export async function setSandboxHairpin(
  mode: HairpinMode,
  podSandboxId: string,
  { cri, logger, folders }: HairpinOptions,
): Promise<void> {
  try {
    const { info } = await cri.runtime.podSandboxStatus({ podSandboxId, verbose: true });
    const pid = pidOf(info?.info);
    if (pid === undefined) throw new Error("the runtime does not tell a process of the sandbox");
    setHairpin(mode, pid, folders);
  } catch (error) {
    logger.warn("Failed to set the hairpin mode of a pod", { mode, sandbox: podSandboxId, error: messageOf(error) });
  }
}

/** The process of a sandbox in what a runtime says beside its status: containerd and CRI-O write JSON with a `pid`. */
function pidOf(info: string | undefined): number | undefined {
  const pid = (JSON.parse(info ?? "{}") as { readonly pid?: unknown } | null)?.pid;
  return typeof pid === "number" && Number.isInteger(pid) && pid > 0 ? pid : undefined;
}
