/**
 * The embedded process runtime: CRI v1 with containers as process groups of the host.
 *
 * @module
 */
export {
  createProcessRuntime,
  type ProcessRuntime,
  type ProcessRuntimeOptions,
} from "./create-process-runtime.ts";
export { rootVariable } from "./host-command.ts";
