import type { TracingConfiguration } from "@orchernetes/config";

/** What the file of `--tracing-config-file` says, or what is wrong with it. */
export interface TracingConfig {
  /** Undefined: nothing is traced. */
  readonly configuration?: TracingConfiguration;
  /** One line each. */
  readonly errors: readonly string[];
}

/** Reads the tracing configuration; an empty name means none. */
export async function readTracingConfig(file: string): Promise<TracingConfig> {
  if (file === "") return { errors: [] };
  // Schemas are loaded only by servers that need one: they cost start-up time.
  const [{ ConfigFileError, loadConfigFile }, { tracingConfigurationSchema }] = await Promise.all([
    import("@orchernetes/config/load-config-file"),
    import("@orchernetes/config/tracing-configuration"),
  ]);
  try {
    return { configuration: await loadConfigFile(file, tracingConfigurationSchema), errors: [] };
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    return { errors: error.errors.map((error) => `--tracing-config-file: ${error}`) };
  }
}
