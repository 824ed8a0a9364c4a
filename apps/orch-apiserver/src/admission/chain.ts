import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { pluginTable } from "./plugins.ts";
import type { PluginSettings } from "./shared/plugin.ts";

/**
 * The enabled plugins and the server's own, in the order of {@link pluginTable}.
 *
 * @param enabled names of the plugins that the flags leave switched on
 * @throws Error when an enabled plugin is not in the table, or a plugin has another name than its descriptor: a mistake of the program
 */
export function admissionChain(enabled: ReadonlySet<string>, settings: PluginSettings): readonly AdmissionPlugin[] {
  const left = new Set(enabled);
  const chain: AdmissionPlugin[] = [];
  for (const { name, state, descriptor } of pluginTable) {
    const wanted = left.delete(name);
    if (!wanted && state !== "always") continue;
    const plugin = "create" in descriptor ? descriptor.create(settings) : descriptor;
    if (plugin.name !== name) throw new Error(`admission plugin ${name} has the name ${JSON.stringify(plugin.name)}`);
    chain.push(plugin);
  }
  if (left.size > 0) throw new Error(`admission plugins without a place in the order: ${[...left].join(", ")}`);
  return chain;
}
