/**
 * Real container runtimes for tests, and a server of CRI for runtimes that a test plays.
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

export { serveCri } from "../server/serve-cri.ts";
export { type DoubleRunWatcher, watchForDoubleRuns } from "./double-run-watcher.ts";
export { type ExecWebSocketOptions, type ExecWebSocketResult, execWebSocket } from "./exec-websocket.ts";
export {
  type RunningContainer,
  type RuntimeAddress,
  runningContainers,
  runningTwice,
} from "./running-containers.ts";
export {
  containerdAvailable,
  containerdUnavailable,
  removeSandboxes,
  type StartContainerdOptions,
  startContainerd,
  type TestContainerd,
} from "./start-containerd.ts";
