import { isAbsolute } from "node:path";
import { loadTrustedModule } from "@orchernetes/component/trusted-module";
import { z } from "zod";
import { EXTENSION_POINTS, type ExtensionPoint } from "../framework/extension-point.ts";
import { ClusterEvent } from "../framework/interfaces.ts";
import type { PluginDefinition, UserPlugin } from "../plugin-definition.ts";
import { PLUGINS } from "./plugin-points.ts";
import type { ProfileConfiguration } from "./scheduler-configuration.ts";

/** The user's plugins of a profile, and what is wrong with them, each after its field. */
export interface LoadedPlugins {
  readonly plugins: readonly UserPlugin[];
  readonly errors: readonly string[];
}

/** Loads the modules that a profile names, and checks the arguments of their plugins with the plugins' own schemas. */
export async function loadUserPlugins({ pluginConfig }: ProfileConfiguration): Promise<LoadedPlugins> {
  const plugins: UserPlugin[] = [];
  const errors: string[] = [];
  for (const [i, { name, module, args }] of pluginConfig.entries()) {
    if (module === undefined) continue;
    const at = `pluginConfig[${i}]`;
    const found = await definitionOf(name, module);
    if ("error" in found) {
      errors.push(`${at}.${found.error}`);
      continue;
    }
    const checked = checkArguments(found.definition, args);
    if ("errors" in checked) errors.push(...checked.errors.map((error) => `${at}.args${error}`));
    const { definition } = found;
    plugins.push({
      name,
      points: definition.points,
      create: (handle) =>
        definition.create("args" in checked ? checked.args : undefined, { ...handle, events: ClusterEvent }),
    });
  }
  return { plugins, errors };
}

type Found = { readonly definition: PluginDefinition } | { readonly error: string };

async function definitionOf(name: string, module: string): Promise<Found> {
  if (PLUGINS.some((one) => one.name === name)) return { error: `name: a plugin named "${name}" already exists` };
  if (!isAbsolute(module))
    return { error: `module: invalid value ${JSON.stringify(module)}; want the absolute path of a module` };
  const loaded = await loadTrustedModule(module);
  if ("error" in loaded) return { error: `module: ${loaded.error}` };
  const all: readonly unknown[] = Array.isArray(loaded.exported) ? loaded.exported : [loaded.exported];
  const definition = all.filter(isDefinition).find((one) => one.name === name);
  if (definition !== undefined) return { definition };
  const what = "a default export with this name, points and a function create";
  return { error: `module: ${JSON.stringify(module)} has no plugin "${name}"; want ${what}` };
}

const isPoint = (value: unknown): value is ExtensionPoint => EXTENSION_POINTS.some((point) => point === value);

const isDefinition = (value: unknown): value is PluginDefinition =>
  typeof value === "object" &&
  value !== null &&
  "create" in value &&
  typeof value.create === "function" &&
  "points" in value &&
  Array.isArray(value.points) &&
  value.points.every(isPoint);

/** The arguments as the plugin's schema returns them; or errors, which begin with the path of a field or with a colon. */
function checkArguments(
  { args: schemaOf }: PluginDefinition,
  given: unknown,
): { readonly args: unknown } | { readonly errors: readonly string[] } {
  if (schemaOf === undefined) {
    if (given === undefined) return { args: undefined };
    return { errors: [": want none: the plugin takes no arguments"] };
  }
  const result = schemaOf(z).safeParse(given ?? {});
  if (result.success) return { args: result.data };
  return {
    errors: result.error.issues.map(
      ({ path, message }) =>
        `${path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("")}: ${message}`,
    ),
  };
}
