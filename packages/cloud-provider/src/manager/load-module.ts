import { loadTrustedModule } from "@orchernetes/component/trusted-module";
import type { CloudProviderModule } from "./provider-module.ts";

/** A module, or why it is not used. */
export type LoadedModule = { readonly module: CloudProviderModule } | { readonly error: string };

/**
 * Loads a provider from a JavaScript or TypeScript file that no other user can change.
 *
 * @param path absolute
 * @param owners user ids, for tests
 */
export async function loadProviderModule(path: string, owners?: readonly number[]): Promise<LoadedModule> {
  const loaded = await loadTrustedModule(path, owners);
  if ("error" in loaded) return loaded;
  if (isModule(loaded.exported)) return { module: loaded.exported };
  return { error: `${JSON.stringify(path)} is no cloud provider: want a default export with a function "create"` };
}

function isModule(value: unknown): value is CloudProviderModule {
  return typeof value === "object" && value !== null && "create" in value && typeof value.create === "function";
}
