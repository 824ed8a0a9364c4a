import type { NamedFile, NamedFiles } from "@orchernetes/component";
import type { CloudProviderModule } from "./provider-module.ts";

/**
 * Reads the file of `--cloud-config` and lets the provider check it; errors are added to those of the files.
 *
 * @param provider undefined after an error: then only the file is checked
 * @returns the contents; undefined if no file is named, or after an error
 */
export async function readCloudConfig(
  files: NamedFiles,
  file: NamedFile,
  provider: CloudProviderModule | undefined,
): Promise<string | undefined> {
  const before = files.errors.length;
  const text = await files.text(file, (content) => content);
  if (files.errors.length > before) return undefined;
  const from = file.path === "" ? file.from : `${file.from}: ${JSON.stringify(file.path)}`;
  const problems = (await provider?.configErrors?.(text)) ?? [];
  files.errors.push(...problems.map((problem) => `${from}: ${problem}`));
  return text;
}
