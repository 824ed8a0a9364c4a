import { type LoadedModule, loadProviderModule } from "./load-module.ts";
import type { CloudProviderTable } from "./provider-module.ts";

/**
 * The provider of a name or path, or what is wrong with it.
 *
 * @param origin what gave the name, for errors: a flag, or a place in a file
 */
export async function findProvider(
  providers: CloudProviderTable,
  name: string,
  origin = "--cloud-provider",
): Promise<LoadedModule> {
  const names = Object.keys(providers)
    .sort()
    .map((known) => `--cloud-provider=${known}`);
  const accepted = `want ${[...names, "the absolute path of a module"].join(" or ")}`;
  if (name === "") return { error: `${origin} cannot be empty: ${accepted}` };
  const inFile = origin.startsWith("--config:");
  if (name.startsWith("/")) {
    const loaded = await loadProviderModule(name);
    return "error" in loaded ? { error: `${inFile ? origin : `flag ${origin}`}: ${loaded.error}` } : loaded;
  }
  const load = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (load !== undefined) return { module: await load() };
  const error = `unknown cloud provider "${name}"`;
  return { error: inFile ? `${origin}: ${error}; ${accepted}` : `${error} for flag ${origin}: ${accepted}` };
}
