/**
 * Serves a provider to managers with `--cloud-provider=grpc`, from a process of its own.
 *
 * @example
 * ```ts
 * import { succeeded } from "@orchernetes/cloud-provider";
 * import { serveCloudProvider } from "@orchernetes/cloud-provider/grpc-server";
 *
 * const clusters = { list: async () => succeeded(["mine"]), address: async () => succeeded("192.0.2.1") };
 * const served = await serveCloudProvider({ name: "example", clusters }, { endpoint: "unix:///run/example/cloud.sock" });
 * process.once("SIGTERM", () => served.stop());
 * ```
 *
 * @module
 */
export { type ServedProvider, type ServeProviderOptions, serveCloudProvider } from "./serve-provider.ts";
