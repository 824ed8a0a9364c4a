import type { CloudProviderTable } from "../manager/provider-module.ts";

/** The providers of this project. */
export const builtInProviders: CloudProviderTable = {
  local: async () => (await import("./local/local-provider.ts")).localProvider,
};
