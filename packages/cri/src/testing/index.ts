/**
 * Real container runtimes for tests.
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
