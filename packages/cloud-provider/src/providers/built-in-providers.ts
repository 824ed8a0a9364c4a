import type { CloudProviderTable } from "../manager/provider-module.ts";

/** The providers of this project. */
export const builtInProviders: CloudProviderTable = {
  grpc: async () => (await import("./grpc/grpc-provider.ts")).grpcProvider,
  local: async () => (await import("./local/local-provider.ts")).localProvider,
};
