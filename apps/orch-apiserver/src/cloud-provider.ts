/** Providers that were built into API servers; the in-tree ones of 1.27 are the last of them. */
const IN_TREE: ReadonlySet<string> = new Set(["aws", "azure", "gce", "openstack", "vsphere"]);

/**
 * Checks the flags of cloud providers. In 1.27 an API server asks a built-in provider for its own external address and for the zones of
 * volumes (plugin PersistentVolumeLabel). No provider is built into this server, so it neither takes the name of one nor the file that
 * only one could read. With `external` everything about the cloud is up to a cloud-controller-manager.
 */
export function checkCloudProvider(
  flags: { readonly "cloud-provider": string; readonly "cloud-config": string },
  report: (flag: "cloud-provider" | "cloud-config", text: string) => void,
): void {
  const { "cloud-provider": provider, "cloud-config": file } = flags;
  const found = JSON.stringify(provider);
  if (IN_TREE.has(provider))
    report(
      "cloud-provider",
      `found ${found}, which is not built in; want "" or "external" with a cloud-controller-manager of that provider`,
    );
  else if (provider !== "" && provider !== "external")
    report("cloud-provider", `unknown cloud provider ${found}; want "" or "external"`);
  if (file !== "")
    report(
      "cloud-config",
      `found ${JSON.stringify(file)}; no cloud provider is built in that would read it, so it belongs to --cloud-config of the cloud-controller-manager`,
    );
}
