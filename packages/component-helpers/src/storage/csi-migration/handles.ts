import type { core } from "@orchernetes/api";
import type { Volume } from "../volumes-and-claims.ts";
import { betaZone, splitZones, zone } from "./topology.ts";

/** Where a source stands: in a persistent volume, or in a volume of a pod. */
export type Place =
  | { readonly in: "volume"; readonly volume: Volume }
  | { readonly in: "pod"; readonly name: string; readonly namespace: string };

/**
 * The identifier of an EBS volume; it may be given as `aws://zone/vol-…`.
 *
 * @throws Error if it is a URL without a volume
 */
export function ebsVolumeId(id: string): string {
  const scheme = "aws://";
  if (!id.startsWith(scheme)) return id;
  const [path = ""] = id.slice(scheme.length).split(/[?#]/);
  const slash = path.indexOf("/");
  const volume = slash < 0 ? "" : path.slice(slash).replace(/^\/+|\/+$/g, "");
  if (/^vol-[^/]*$/.test(volume)) return volume;
  throw new Error(`failed to translate Orchernetes ID to EBS Volume ID Invalid format for AWS volume (${id})`);
}

/**
 * The handle of a disk of Compute Engine: of a zone, or of a region if the volume's labels name several zones. The driver
 * fills in what is not known here, by the node.
 *
 * @throws Error if the zones are of several regions
 */
export function gceHandle(disk: string, labels: Readonly<Record<string, string>> = {}): string {
  const unknown = "UNSPECIFIED";
  const zones = splitZones(labels[betaZone] || labels[zone] || "");
  if (zones.length > 1) return `projects/${unknown}/regions/${gceRegionOf(zones)}/disks/${disk}`;
  return `projects/${unknown}/zones/${zones[0] || unknown}/disks/${disk}`;
}

function gceRegionOf(zones: readonly string[]): string {
  const fail = (why: string): never => {
    throw new Error(`failed to get region from zones: ${why}`);
  };
  const regions = new Set(
    zones.map((one) => {
      const parts = one.split("-");
      if (parts.length !== 3)
        fail(`zone in unexpected format, expected: {locale}-{region}-{zone}, got: ${JSON.stringify(one)}`);
      return parts.slice(0, 2).join("-");
    }),
  );
  const [region] = regions;
  return region === undefined || regions.size > 1
    ? fail(`multiple or no regions gotten from zones, got: ${[...regions].join(", ")}`)
    : region;
}

/** A disk of Azure for its driver, which has managed disks only. @throws Error for any other disk */
export function azureDiskSource({
  diskURI,
  kind,
  cachingMode,
  fsType,
  readOnly,
}: core.AzureDiskVolumeSource): Omit<core.CSIPersistentVolumeSource, "driver"> {
  if (kind !== undefined && kind !== "Managed") throw new Error(`kind(${kind}) is not supported in csi migration`);
  return {
    volumeHandle: diskURI,
    ...(readOnly ? { readOnly } : {}),
    ...(fsType ? { fsType } : {}),
    volumeAttributes: {
      kind: "Managed",
      ...(cachingMode === undefined ? {} : { cachingmode: cachingMode }),
      ...(fsType === undefined ? {} : { fstype: fsType }),
    },
  };
}

type ShareSource = core.AzureFileVolumeSource | core.AzureFilePersistentVolumeSource;

const resourceGroup = "orchernetes.io/azure-file-resource-group";
const secretName = /azure-storage-account-(.+)-secret/;

/**
 * The handle of a share of Azure Files: resource group, account, share, name, and namespace of the secret.
 *
 * @throws Error if no namespace is known
 */
export function azureFileHandle(
  source: ShareSource,
  place: Place,
): { readonly handle: string; readonly secretNamespace: string } {
  const account = secretName.exec(source.secretName)?.[1] ?? source.secretName;
  const { name, group, secretNamespace } = shareIn(source, place);
  if (secretNamespace === "")
    throw new Error("could not find a secret namespace in PersistentVolumeSource or ClaimRef");
  return { handle: [group, account, source.shareName, name, secretNamespace].join("#"), secretNamespace };
}

function shareIn(source: ShareSource, place: Place) {
  if (place.in === "pod") return { name: place.name, group: "", secretNamespace: place.namespace || "default" };
  const { metadata, spec } = place.volume;
  return {
    name: metadata.name,
    group: metadata.annotations?.[resourceGroup] ?? "",
    secretNamespace:
      ("secretNamespace" in source ? source.secretNamespace : undefined) ?? spec.claimRef?.namespace ?? "",
  };
}
