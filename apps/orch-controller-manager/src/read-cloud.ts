import { builtInProviders, type CloudProviderModule, findProvider, readCloudConfig } from "@orchernetes/cloud-provider";
import type { NamedFiles } from "@orchernetes/component";
import type { Configuration } from "@orchernetes/component/configuration";

/** A cloud provider and the contents of `--cloud-config`. */
export interface ChosenCloud {
  readonly module: CloudProviderModule;
  readonly config: string | undefined;
}

/**
 * The provider that a configuration names. Errors are added to those of the files.
 *
 * @param disabled gate DisableCloudProviders: a provider must run in cloud-controller-manager
 */
export async function readCloud(
  files: NamedFiles,
  settings: Pick<Configuration<unknown>, "namedFile" | "origin" | "text">,
  disabled: boolean,
): Promise<{ readonly isExternal: boolean; readonly chosen: ChosenCloud | undefined }> {
  const field = "OrchCloudShared.CloudProvider.Name";
  const name = settings.text(field);
  const file = settings.namedFile("OrchCloudShared.CloudProvider.CloudConfigFile");
  const isExternal = name === "external";
  if (isExternal || name === "") {
    await readCloudConfig(files, file, undefined);
    return { isExternal, chosen: undefined };
  }
  const found = await findProvider(builtInProviders, name, settings.origin(field));
  if ("error" in found) files.errors.push(found.error);
  if (disabled) {
    files.errors.push(
      `cloud provider "${name}" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`,
    );
  }
  const module = "module" in found ? found.module : undefined;
  const config = await readCloudConfig(files, file, module);
  return { isExternal, chosen: module && { module, config } };
}
