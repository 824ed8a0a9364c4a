/**
 * Clouds: the interface {@link CloudProvider} that a cloud implements, the controllers that use it, and the providers of this project.
 *
 * Both controller managers run {@link serviceController}, {@link routeController} and {@link cloudNodeLifecycleController};
 * {@link cloudNodeController} runs in cloud-controller-manager. They get the provider guarded ({@link guardProvider}), so that they
 * need not distrust it.
 *
 * @example
 * ```ts
 * import { type CloudProvider, failed, succeeded } from "@orchernetes/cloud-provider";
 *
 * const machines = new Map([["node-1", { type: "small", zone: "a" }]]);
 * const provider: CloudProvider = {
 *   name: "example",
 *   instances: {
 *     exists: async ({ metadata }) => succeeded(machines.has(metadata.name)),
 *     isShutDown: async () => succeeded(false),
 *     async metadata({ metadata: { name } }) {
 *       const machine = machines.get(name);
 *       if (machine === undefined) return failed("NotFound", `there is no machine ${name}`);
 *       const { type: instanceType, zone } = machine;
 *       return succeeded({ providerID: `example://${name}`, instanceType, zone, region: "", addresses: [] });
 *     },
 *   },
 * };
 * console.log(provider.name);
 * ```
 *
 * @module
 */
export type { CloudContext, CloudDocument } from "./controllers/cloud-context.ts";
export { cloudNodeController } from "./controllers/node/controller.ts";
export { cloudNodeLifecycleController } from "./controllers/node-lifecycle/controller.ts";
export { routeController } from "./controllers/route/controller.ts";
export { serviceController } from "./controllers/service/controller.ts";
export * from "./manager/cloud-webhook.ts";
export { findProvider } from "./manager/find-provider.ts";
export * from "./manager/provider-module.ts";
export { readCloudConfig } from "./manager/read-cloud-config.ts";
export { type RunWithCloudOptions, runTogether, runWithCloud } from "./manager/run-with-cloud.ts";
export * from "./provider/cloud-provider.ts";
export * from "./provider/cloud-result.ts";
export { type EndedCall, type GuardOptions, guardProvider } from "./provider/guard-provider.ts";
export { builtInProviders } from "./providers/built-in-providers.ts";
