import { yamlError, yamlLibrary } from "@orchernetes/apimachinery";
import {
  type EncryptionEntry,
  type EncryptionSchemaOptions,
  encryptionConfigurationSchema,
  issueLines,
} from "@orchernetes/config";
import type { GroupResource } from "./stores.ts";

/** A configuration file that cannot be used, with all its errors. */
class EncryptionConfigError extends Error {
  override readonly name = "EncryptionConfigError";
  /** One line each. */
  readonly errors: readonly string[];

  constructor(file: string, errors: readonly string[]) {
    super(`encryption configuration ${JSON.stringify(file)}: ${errors.join("; ")}`);
    this.errors = errors.map((error) => `${JSON.stringify(file)}: ${error}`);
  }
}

/**
 * Reads an `EncryptionConfiguration` (`apiserver.config.o8s.io/v1`) in YAML or JSON. Import this module only for a server that has
 * such a file: it loads the schemas, which cost start-up time and memory.
 *
 * @param options whether providers of version 2 outside the server may be used (gate KMSv2), and whether the file is followed
 * @throws EncryptionConfigError with every error, as a path and what would have been accepted; secrets are never part of it
 */
export function parseEncryptionConfig(
  text: string,
  file: string,
  options: EncryptionSchemaOptions,
): readonly EncryptionEntry[] {
  let document: unknown;
  try {
    document = yamlLibrary().parse(text, {
      // A warning would be printed with the line that it is about.
      logLevel: "error",
    });
  } catch (error) {
    throw new EncryptionConfigError(file, [`${yamlError(error)}; want YAML or JSON`]);
  }
  const result = encryptionConfigurationSchema(options).safeParse(document);
  if (!result.success) throw new EncryptionConfigError(file, issueLines(result.error));
  return result.data.resources;
}

/** Whether an entry's name means the resource. */
export function namesResource(name: string, { group, plural }: GroupResource): boolean {
  if (name === "*.*") return true;
  if (name.startsWith("*.")) return group === name.slice(2);
  return name === (group === "" ? plural : `${plural}.${group}`);
}
