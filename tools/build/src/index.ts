/**
 * @module What `npm run build` made: which programs have bundles, whether those are current, and the commands that run them.
 *
 * @example
 * ```ts
 * const current = bundleState("orch-apiserver").type === "current";
 * const command = current ? bundleCommand("orch-apiserver") : sourceCommand("orch-apiserver");
 * ```
 */
export { buildBundles } from "./build-bundles.ts";
export { bundleCommand, bundleState, sourceCommand } from "./commands.ts";
export { DAEMONS, type DaemonName, PROGRAMS, type Program } from "./programs.ts";
