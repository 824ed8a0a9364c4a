/**
 * A private containerd: whether the host can run it, its configuration and its process.
 *
 * @example
 * ```ts
 * import { mkdtemp } from "node:fs/promises";
 * import { probeContainerHost, startContainerdProcess } from "@orchernetes/cri/containerd";
 *
 * const dir = await mkdtemp("/tmp/ctrd-");
 * if (probeContainerHost(dir).missing.length === 0) {
 *   const containerd = await startContainerdProcess({ dir, cni: { subnet: "10.244.1.0/24", bridge: "cni-test" } });
 *   await containerd.terminate();
 * }
 * ```
 *
 * @module
 */
export { removeAbandonedTasks, type TaskPlaces, tasksPresent, unknownTasks } from "./abandoned-tasks.ts";
export { bridgeAddress, ensureBridge } from "./bridge.ts";
export { type CniConflistOptions, renderCniConflist } from "./cni-conflist.ts";
export { type ContainerdConfigOptions, renderContainerdConfig } from "./containerd-config.ts";
export {
  type ContainerdOptions,
  type ContainerdProcess,
  containerdPaths,
  releaseContainerdHost,
  startContainerdProcess,
} from "./containerd-process.ts";
export { type ContainerHost, findProgram, probeContainerHost } from "./probe-container-host.ts";
export { releaseShims } from "./shim-sockets.ts";
