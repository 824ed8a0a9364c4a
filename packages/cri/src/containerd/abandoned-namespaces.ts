import { readdir, readlink, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMounted, unmount } from "@orchernetes/host";
import type { CriClient } from "../client/create-cri-client.ts";
import { isCriError } from "../client/cri-error.ts";

/** Sandboxes that are asked about at a time. */
const parallel = 8;

type Runtime = Pick<CriClient["runtime"], "listPodSandbox" | "podSandboxStatus">;

/** Paths of the files that keep network namespaces, in containerd's folder of this boot. */
export async function namespaceFiles(state: string): Promise<readonly string[]> {
  const folder = join(state, "io.containerd.grpc.v1.cri/netns");
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}

/**
 * Removes network namespaces that containerd has made before it was killed, for sandboxes that it had not recorded yet. It never looks at
 * them again.
 *
 * @param before the files that there were before containerd was started again: later ones are those of calls that it serves
 * @returns the removed ones; none if a sandbox does not tell which namespace it has
 */
export async function removeAbandonedNamespaces(
  runtime: Runtime,
  before: readonly string[],
): Promise<readonly string[]> {
  const empty = await withoutProcesses(before);
  if (empty.length === 0) return [];
  const used = await usedNamespaces(runtime);
  const abandoned = used === undefined ? [] : empty.filter((path) => !used.has(path));
  for (const path of abandoned) {
    if (await isMounted(path)) await unmount(path);
    await rm(path, { force: true });
  }
  return abandoned;
}

/**
 * Those of the namespaces in which no process runs. Usually there are none, and the runtime need not be asked. A containerd that has
 * started removes those of sandboxes that have ended.
 */
async function withoutProcesses(paths: readonly string[]): Promise<readonly string[]> {
  const pids = paths.length === 0 ? [] : (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const links = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/ns/net`).catch(() => "")));
  const running = new Set(links);
  const isEmpty = await Promise.all(
    paths.map(async (path) => {
      const file = await stat(path).catch(() => undefined);
      return file !== undefined && !running.has(`net:[${file.ino}]`);
    }),
  );
  return paths.filter((_, i) => isEmpty[i]);
}

/** Paths of the namespaces that sandboxes have; undefined if one does not tell its own. */
async function usedNamespaces(runtime: Runtime): Promise<ReadonlySet<string> | undefined> {
  const used = new Set<string>();
  const { items } = await runtime.listPodSandbox({});
  for (let i = 0; i < items.length; i += parallel) {
    const paths = await Promise.all(items.slice(i, i + parallel).map(({ id }) => namespaceOf(runtime, id)));
    for (const path of paths) {
      if (path === undefined) return undefined;
      used.add(path);
    }
  }
  return used;
}

/** The path of a sandbox's namespace: empty if it has none of its own, or is gone; undefined if the runtime does not tell it. */
async function namespaceOf(runtime: Runtime, podSandboxId: string): Promise<string | undefined> {
  try {
    const { status, info } = await runtime.podSandboxStatus({ podSandboxId, verbose: true });
    if (status?.linux?.namespaces?.options?.network === "NODE") return "";
    return networkPath(info.info ?? "");
  } catch (error) {
    return isCriError(error, "NotFound") ? "" : undefined;
  }
}

/**
 * The path of the network namespace in containerd's description of a sandbox. A sandbox that was being created when containerd was killed
 * may have been recorded before its namespace. containerd then describes the namespace as closed, and the path is "".
 */
function networkPath(description: string): string | undefined {
  const { netNamespaceClosed, runtimeSpec } = JSON.parse(description) as {
    readonly netNamespaceClosed?: boolean;
    readonly runtimeSpec?: {
      readonly linux?: { readonly namespaces?: readonly { readonly type: string; readonly path?: string }[] };
    };
  };
  const path = runtimeSpec?.linux?.namespaces?.find(({ type }) => type === "network")?.path;
  return path ?? (netNamespaceClosed === true ? "" : undefined);
}
