import type { core } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout, refusal } from "./shared/attributes.ts";

const ZONE = "topology.orchernetes.io/zone";
const REGION = "topology.orchernetes.io/region";
const BETA_ZONE = "failure-domain.beta.orchernetes.io/zone";
const BETA_REGION = "failure-domain.beta.orchernetes.io/region";
const PROVISIONED_BY = "pv.orchernetes.io/provisioned-by";
/** The name of a volume that its cloud is still making. */
const PLACEHOLDER = "placeholder-for-provisioning";

type Volume = Draft<core.PersistentVolume>;
type Labels = Readonly<Record<string, string>>;

/** The labels of a volume that was provisioned with its place. */
function knownPlace({ metadata }: Volume): Labels | undefined {
  const { labels = {}, annotations = {} } = metadata;
  if (annotations[PROVISIONED_BY] === undefined) return undefined;
  const [zoneKey, regionKey] = labels[ZONE] === undefined ? [BETA_ZONE, BETA_REGION] : [ZONE, REGION];
  const [zone, region] = [labels[zoneKey], labels[regionKey]];
  return zone === undefined || region === undefined ? undefined : { [zoneKey]: zone, [regionKey]: region };
}

/** Why the place of a volume cannot be asked for: no cloud is built into the server. */
function missingCloud({ spec }: Volume): string | undefined {
  const { gcePersistentDisk: gce, azureDisk: azure, vsphereVolume: vsphere } = spec;
  if (gce)
    return gce.pdName === PLACEHOLDER
      ? undefined
      : `error querying GCE PD volume ${gce.pdName}: unable to build GCE cloud provider for PD`;
  if (azure)
    return azure.diskName === PLACEHOLDER
      ? undefined
      : `error querying AzureDisk volume ${azure.diskName}: unable to build Azure cloud provider for AzureDisk`;
  return vsphere && `error querying vSphere Volume ${vsphere.volumePath}: unable to build vSphere cloud provider`;
}

/** Lets the volume be used where it is, unless its node affinity says something of these labels. */
function pinTo(volume: Volume, labels: Labels, refuse: (detail: string) => Error): void {
  const expressions = Object.entries(labels).map(([key, value]) => {
    if (key !== ZONE && key !== BETA_ZONE) return { key, operator: "In" as const, values: [value] };
    const zones = value.split("__").map((zone) => zone.trim());
    if (zones.includes("")) throw refuse(`failed to convert label string for Zone: ${value} to a Set`);
    return { key, operator: "In" as const, values: [...new Set(zones)].sort() };
  });
  const given = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const terms = given.length > 0 ? given : [{}];
  if (terms.some((term) => term.matchExpressions?.some(({ key }) => Object.hasOwn(labels, key)))) return;
  volume.spec.nodeAffinity = {
    required: {
      nodeSelectorTerms: terms.map((term) => ({
        ...term,
        matchExpressions: [...(term.matchExpressions ?? []), ...expressions],
      })),
    },
  };
}

/**
 * Plugin PersistentVolumeLabel: a volume that was provisioned with labels of its zone and region is used there only. The server has
 * no cloud to ask for the place of others, so it rejects disks of those that the original would ask. Deprecated.
 */
export const persistentVolumeLabel: AdmissionPlugin = {
  name: "PersistentVolumeLabel",
  handles: (operation) => operation === "CREATE",
  admit(attributes) {
    if (!isAbout(attributes, "", "persistentvolumes") || attributes.object === undefined) return;
    const volume = attributes.object as Volume;
    const refuse = (detail: string) => refusal(attributes as AdmissionAttributes, detail);
    const labels = knownPlace(volume);
    if (labels !== undefined) return pinTo(volume, labels, refuse);
    const missing = missingCloud(volume);
    if (missing !== undefined) throw refuse(missing);
  },
};
