import { dirname, resolve } from "node:path";
import { configurationErrors } from "@orchernetes/component";
import type { ImagePolicyWebhookConfiguration, parseConfig, WebhookAdmissionConfiguration } from "@orchernetes/config";
import { type PluginConfigurations, pluginsThatNeedConfiguration } from "./plugin-configurations.ts";

const FLAG = "--admission-control-config-file";

/** The content of the file, its errors, and warnings about parts without effect. */
export interface ReadConfigurations {
  readonly configurations: PluginConfigurations;
  /** One line each. */
  readonly errors: readonly string[];
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** The configuration of a plugin, and its name in errors. */
interface Part {
  readonly name: string;
  readonly source: string;
  /** Undefined if the file has none. */
  readonly place: Place | undefined;
}

/** Where a configuration is. */
type Place = { readonly type: "inline"; readonly document: unknown } | { readonly type: "file"; readonly path: string };

/** The parts of the document. One without a version is the configuration of the plugins that know none, as it was before there was a version. */
async function partsOf(path: string): Promise<readonly Part[]> {
  const [{ parseConfig, readConfigDocument }, { admissionConfigurationSchema }] = await Promise.all([
    import("@orchernetes/config/load-config-file"),
    import("@orchernetes/config/admission"),
  ]);
  const source = `file ${JSON.stringify(path)}`;
  const document = await readConfigDocument(path);
  if (typeof document === "object" && document !== null && !("apiVersion" in document) && !("kind" in document)) {
    const legacy = { imagePolicy: "ImagePolicyWebhook", podNodeSelectorPluginConfig: "PodNodeSelector" } as const;
    const parts = Object.entries(legacy)
      .filter(([field]) => field in document)
      .map(([, name]) => ({ name, source, place: { type: "inline" as const, document } }));
    if (parts.length > 0) return parts;
  }
  const { plugins } = parseConfig(document, admissionConfigurationSchema, source);
  return (plugins ?? []).map(({ name, configuration, path: file }) => ({
    name,
    source: `${source}, plugin ${JSON.stringify(name)}`,
    place: configuration
      ? { type: "inline", document: configuration }
      : file
        ? { type: "file", path: resolve(dirname(path), file) }
        : undefined,
  }));
}

/** Parses the configurations by their schemas. */
async function schemas() {
  const config = await import("@orchernetes/config/admission");
  return {
    EventRateLimit: config.eventRateLimitConfigurationSchema,
    ImagePolicyWebhook: config.imagePolicyWebhookConfigurationSchema,
    MutatingAdmissionWebhook: config.webhookAdmissionConfigurationSchema,
    PodNodeSelector: config.podNodeSelectorConfigurationSchema,
    PodSecurity: config.podSecurityConfigurationSchema,
    PodTolerationRestriction: config.podTolerationRestrictionConfigurationSchema,
    ResourceQuota: config.resourceQuotaConfigurationSchema,
    ValidatingAdmissionWebhook: config.webhookAdmissionConfigurationSchema,
  } satisfies Record<keyof PluginConfigurations, unknown>;
}

/** Returns why a part of the file has no effect; undefined if it has one. */
function reasonToIgnore(name: string, before: ReadonlySet<string>, enabled: ReadonlySet<string>, takes: boolean) {
  if (before.has(name)) return "is configured more than once; the first counts";
  if (!enabled.has(name)) return "is configured and not enabled";
  return takes ? undefined : "takes no configuration; what it is given has no effect";
}

/**
 * Reads the configurations of the enabled plugins. If a plugin occurs more than once, the first entry counts. Plugins without a configuration
 * ignore their entry.
 *
 * @param path the file; if it is empty, no plugin has a configuration
 */
export async function readPluginConfigurations(
  path: string,
  enabled: ReadonlySet<string>,
): Promise<ReadConfigurations> {
  const errors: string[] = [];
  const warnings: string[] = [];
  const configurations: Record<string, unknown> = {};
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      const lines = configurationErrors(error);
      if (lines === undefined) throw error;
      errors.push(...lines.map((line) => `${FLAG}: ${line}`));
      return undefined;
    }
  };
  const parts = path === "" ? [] : ((await attempt(() => partsOf(path))) ?? []);
  const known: Readonly<Record<string, Schema>> = parts.length === 0 ? {} : await schemas();
  const seen = new Set<string>();
  for (const { name, source, place } of parts) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    const reason = reasonToIgnore(name, seen, enabled, schema !== undefined);
    seen.add(name);
    if (reason !== undefined) warnings.push(`${FLAG}: plugin ${JSON.stringify(name)} ${reason}`);
    else if (schema !== undefined && place !== undefined) {
      const configuration = await attempt(() => configurationAt(place, schema, source));
      configurations[name] = configuration;
      await attempt(() => checkClientFile(configuration));
    }
  }
  if (errors.length === 0)
    for (const name of pluginsThatNeedConfiguration)
      if (enabled.has(name) && configurations[name] === undefined)
        errors.push(`${FLAG}: plugin ${JSON.stringify(name)} is enabled and needs a configuration; none is given`);
  return { configurations, errors, warnings };
}

/** Reads the client configuration file that a configuration names. @throws ClientConfigError with all errors of the file */
async function checkClientFile(configuration: unknown): Promise<void> {
  const { imagePolicy, orchConfigFile = "" } = (configuration ?? {}) as Partial<
    ImagePolicyWebhookConfiguration & WebhookAdmissionConfiguration
  >;
  if (imagePolicy !== undefined) {
    const { endpointOfConfigFile } = await import("../../webhook/endpoint-of-config-file.ts");
    endpointOfConfigFile(imagePolicy.orchConfigFile);
  }
  if (orchConfigFile !== "") {
    const { loadCredentials } = await import("@orchernetes/client");
    loadCredentials(orchConfigFile);
  }
}

type Schema = Parameters<typeof parseConfig>[1];

async function configurationAt(place: Place, schema: Schema, source: string): Promise<unknown> {
  const { parseConfig, readConfigDocument } = await import("@orchernetes/config/load-config-file");
  if (place.type === "inline") return parseConfig(place.document, schema, source);
  const file = `file ${JSON.stringify(place.path)}`;
  return parseConfig(await readConfigDocument(place.path), schema, file);
}
