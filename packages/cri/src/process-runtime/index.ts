/**
 * The embedded process runtime: CRI v1 with containers as process groups of the host.
 *
 * @example
 * ```ts
 * import { createProcessRuntime } from "@orchernetes/cri/process-runtime";
 *
 * const runtime = await createProcessRuntime({ socketPath: "/tmp/runtime.sock", rootDir: "/tmp/runtime" });
 * await runtime.close();
 * ```
 *
 * @module
 */
export {
  createProcessRuntime,
  type ProcessRuntime,
  type ProcessRuntimeOptions,
} from "./create-process-runtime.ts";
export { rootVariable } from "./host-command.ts";
