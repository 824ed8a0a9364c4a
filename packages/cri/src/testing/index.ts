/**
 * Real container runtimes for tests.
 *
 * @example
 * ```ts
 * import { containerdAvailable, startContainerd } from "@orchernetes/cri/testing";
 *
 * if (await containerdAvailable()) {
 *   const containerd = await startContainerd();
 *   await containerd.stop();
 * }
 * ```
 *
 * @module
 */
export {
  containerdAvailable,
  containerdUnavailable,
  removeSandboxes,
  type StartContainerdOptions,
  startContainerd,
  type TestContainerd,
} from "./start-containerd.ts";
