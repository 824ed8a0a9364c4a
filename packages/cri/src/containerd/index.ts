/**
 * A private containerd: whether the host can run it, its configuration and its process.
 *
 * @module
 */
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
