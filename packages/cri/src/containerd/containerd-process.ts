import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { mountsBelow } from "@orchernetes/host";
import { createCriClient } from "../client/create-cri-client.ts";
import { checkSocketPath } from "../client/unix-socket.ts";
import { removeAbandonedLeases } from "./abandoned-leases.ts";
import { namespaceFiles, removeAbandonedNamespaces } from "./abandoned-namespaces.ts";
import { removeAbandonedTasks, tasksPresent } from "./abandoned-tasks.ts";
import { deleteBridge } from "./bridge.ts";
import { renderCniConflist } from "./cni-conflist.ts";
import { renderContainerdConfig } from "./containerd-config.ts";
import { masqueradePods, type PodNetwork } from "./masquerade.ts";
import { removeNatRules } from "./nat-rules.ts";
import { probeContainerHost } from "./probe-container-host.ts";

const run = promisify(execFile);

/** Starting takes a second or two on an idle machine. A process that exits instead is noticed immediately. */
const startTimeoutMs = 60_000;

/** Folder and network of a private containerd. */
export interface ContainerdOptions {
  /** Folder for all of its files. Keep the path short: the path of a socket has at most 107 bytes. */
  readonly dir: string;
  readonly cni: PodNetwork;
  readonly signal?: AbortSignal | undefined;
}

/** A running containerd. */
export interface ContainerdProcess {
  readonly pid: number;
  readonly socket: string;
  /** `unix://` form of the socket. */
  readonly endpoint: string;
  readonly logFile: string;
  /** Resolves with a text such as `exit code 1` when the process has exited. */
  readonly exited: Promise<string>;
  /**
   * Terminates containerd and leaves the containers running, as a crash or an upgrade would. Resolves when it has
   * exited. @default SIGTERM
   */
  terminate(signal?: NodeJS.Signals): Promise<void>;
}

/** Paths inside the folder of a private containerd. */
export function containerdPaths(dir: string) {
  return {
    root: join(dir, "root"),
    state: join(dir, "state"),
    socket: join(dir, "containerd.sock"),
    configFile: join(dir, "config.toml"),
    logFile: join(dir, "containerd.log"),
    cniConfDir: join(dir, "cni"),
    cniDataDir: join(dir, "cni-data"),
    registriesDir: join(dir, "registries"),
  };
}

/**
 * Writes the configuration and starts containerd with it. Resolves when its CRI service responds and its network is
 * ready.
 *
 * @throws Error that names what the host lacks, or with the end of the log when containerd is not ready after 60 s
 */
export async function startContainerdProcess({ dir, cni, signal }: ContainerdOptions): Promise<ContainerdProcess> {
  await mkdir(dir, { recursive: true, mode: 0o711 });
  const host = probeContainerHost(dir);
  const { containerd, cniBinDir, missing } = host;
  if (missing.length > 0 || containerd === undefined || cniBinDir === undefined) {
    throw new Error(`Cannot start containerd: ${missing.join("; ")}`);
  }
  const paths = containerdPaths(dir);
  checkSocketPath(`${paths.socket}.ttrpc`);
  await mkdir(paths.cniConfDir, { recursive: true });
  await writeFile(
    join(paths.cniConfDir, "10-orchernetes.conflist"),
    renderCniConflist({ ...cni, name: cni.bridge, dataDir: paths.cniDataDir }),
    { mode: 0o600 },
  );
  await masqueradePods(cni);
  await writeFile(
    paths.configFile,
    renderContainerdConfig({
      ...paths,
      cniBinDir,
      snapshotter: host.snapshotter,
      restrictOomScoreAdj: host.restrictOomScoreAdj,
      ...(host.runc !== undefined && { runcPath: host.runc }),
    }),
    { mode: 0o600 },
  );
  const [tasks, namespaces] = await Promise.all([tasksPresent(paths), namespaceFiles(paths.state)]);
  const isRestart = existsSync(paths.root);
  const startedMs = Date.now();
  const log = openSync(paths.logFile, "a");
  const child = spawn(containerd, ["--config", paths.configFile], {
    stdio: ["ignore", log, log],
    detached: true,
    // CNI plugins need iptables, and containerd needs its shim; both may be outside the PATH of a user.
    env: { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/local/sbin:/usr/sbin:/sbin` },
  });
  closeSync(log);
  const exited = exitOf(child);
  await waitUntilReady(paths.socket, exited, paths.logFile, signal).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  await removeAbandonedTasks(paths, tasks);
  if (isRestart) await removeAbandonedLeases(paths.socket, startedMs);
  await removeNamespaces(paths.socket, namespaces);
  return {
    pid: child.pid ?? 0,
    socket: paths.socket,
    endpoint: `unix://${paths.socket}`,
    logFile: paths.logFile,
    exited,
    async terminate(with_ = "SIGTERM") {
      child.kill(with_);
      await exited;
    },
  };
}

async function removeNamespaces(socket: string, before: readonly string[]): Promise<void> {
  const cri = createCriClient({ endpoint: `unix://${socket}` });
  try {
    await removeAbandonedNamespaces(cri.runtime, before);
  } finally {
    cri.close();
  }
}

/**
 * Deletes what a stopped containerd has left: mounts of its shims, the bridge and its rules. Idempotent. Sandboxes
 * must have been removed through CRI before.
 */
export async function releaseContainerdHost(dir: string, bridge: string): Promise<void> {
  // Lazily, because a shim that has outlived its containerd may still use its mounts.
  for (const path of await mountsBelow(dir))
    await run("umount", ["-l", "--no-canonicalize", path]).catch(() => undefined);
  await deleteBridge(bridge);
  await removeNatRules(bridge);
}

async function exitOf(child: ChildProcess): Promise<string> {
  return await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
}

/**
 * Waits until all conditions of the runtime are true. A socket that accepts connections is not enough: the network is
 * ready only after the CNI configuration has been read.
 */
async function waitUntilReady(
  socket: string,
  exited: Promise<string>,
  logFile: string,
  signal?: AbortSignal,
): Promise<void> {
  const cri = createCriClient({ endpoint: `unix://${socket}`, timeoutMs: 10_000, signal });
  let ended: string | undefined;
  void exited.then((how) => {
    ended = how;
  });
  try {
    let last: unknown;
    for (const started = Date.now(); Date.now() - started < startTimeoutMs && ended === undefined; ) {
      try {
        const { status } = await cri.runtime.status({});
        const notReady = (status?.conditions ?? []).filter((condition) => !condition.status);
        if (notReady.length === 0) return;
        last = notReady.map(({ type, message }) => `${type}: ${message}`).join("; ");
      } catch (error) {
        last = error;
      }
      await sleep(50, undefined, { signal });
    }
    const log = (await readFile(logFile, "utf8").catch(() => "")).trimEnd().split("\n").slice(-5).join("\n");
    throw new Error(
      `Cannot start containerd: ${ended ?? `not ready after ${startTimeoutMs / 1000} s`} (${String(last)})\n${log}`,
    );
  } finally {
    cri.close();
  }
}
