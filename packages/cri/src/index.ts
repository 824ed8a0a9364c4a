/**
 * The container runtime interface, version 1: a typed client, image building without a registry, and the configuration of a
 * private containerd.
 *
 * - {@link createCriClient} talks to any runtime that serves `runtime.v1` on a unix socket. Requests may leave out any
 *   field ({@link Init}); responses always contain scalars, lists and maps, and omit messages that were not sent.
 *   Times are `bigint` nanoseconds, other 64 bit integers are numbers, enums are unions of their names.
 * - Errors of calls are {@link CriError}s with the code of gRPC.
 * - Other entry points: `@orchernetes/cri/images`, `/containerd`, `/streaming`, `/process-runtime`, `/testing`.
 *
 * @example
 * ```ts
 * import { createCriClient } from "@orchernetes/cri";
 *
 * const cri = createCriClient({ endpoint: "unix:///run/containerd/containerd.sock" });
 * const { runtimeName } = await cri.runtime.version({});
 * cri.close();
 * ```
 *
 * @module
 */
export type { CallOptions, View } from "./client/channel.ts";
export {
  type CriClient,
  type CriClientOptions,
  createCriClient,
  type ImageService,
  type RuntimeService,
} from "./client/create-cri-client.ts";
export { CriError, type GrpcCode, grpcCodeName, isCriError } from "./client/cri-error.ts";
export { grpcTarget } from "./client/unix-socket.ts";
export { type CniConflistOptions, renderCniConflist } from "./containerd/cni-conflist.ts";
export { type ContainerdConfigOptions, renderContainerdConfig } from "./containerd/containerd-config.ts";
export { type SubprotocolSpelling, subprotocolSpelling, translateSubprotocol } from "./streaming/subprotocols.ts";
export type {
  Container,
  ContainerConfig,
  ContainerState,
  ContainerStatus,
  Device,
  LinuxContainerResources,
  Mount,
} from "./v1/container.ts";
export type { AuthConfig } from "./v1/image.ts";
export type { Init } from "./v1/message.ts";
export type { PodSandbox, PodSandboxConfig } from "./v1/sandbox.ts";
export type { LinuxContainerSecurityContext, NamespaceOption, SecurityProfile } from "./v1/security.ts";
export { containerStates, type ListedContainer, type ListedSandbox, sandboxStates } from "./v1/states.ts";
export type { ContainerStats } from "./v1/stats.ts";
