import type { core } from "@orchernetes/api";
import type { Volume } from "../volumes-and-claims.ts";
import { migratedKinds } from "./csi-sources.ts";
import type { Place } from "./handles.ts";
import { type MigratedField, type MigratedSources, migratedFieldOf, migratedPlugins } from "./migrated-plugins.ts";
import { withDriverTopology } from "./topology.ts";

type CsiSource = core.CSIPersistentVolumeSource;
type AccessModes = NonNullable<core.PersistentVolumeSpec["accessModes"]>;

/** A volume of a pod in the form of a persistent volume. */
export interface InlineVolume {
  readonly name: string;
  readonly spec: core.PersistentVolumeSpec & { readonly csi: CsiSource };
}

interface Translated {
  readonly csi: CsiSource;
  readonly inlineName: string;
  readonly inlineMode: AccessModes[number];
}

function translate<F extends MigratedField>(field: F, spec: MigratedSources, place: Place): Translated {
  const kind = migratedKinds[field];
  const source = spec[field] as Parameters<typeof kind.csi>[0];
  const csi = { driver: migratedPlugins[field].driver, ...kind.csi(source, place) };
  return { csi, inlineName: kind.inlineName(source, csi.volumeHandle), inlineMode: kind.inlineMode(source) };
}

/** Drivers do not have the combinations of modes that the in-tree plugin of Compute Engine accepted. */
function gceModes(modes: AccessModes | undefined): AccessModes | undefined {
  if (modes === undefined) return undefined;
  const writes = modes.some((mode) => mode === "ReadWriteOnce" || mode === "ReadWriteMany");
  return [!writes && modes.includes("ReadOnlyMany") ? "ReadOnlyMany" : "ReadWriteOnce"];
}

/**
 * A persistent volume in the form in which the CSI driver that took over its kind knows it (KEP-625): the source, the node
 * affinity in the labels of the driver, and the access modes. The same object if its kind was not migrated.
 *
 * @throws Error if the driver has no such volumes
 */
export function translateVolume(volume: Volume): Volume {
  const field = migratedFieldOf(volume.spec);
  if (field === undefined) return volume;
  const { csi } = translate(field, volume.spec, { in: "volume", volume });
  const placed = withDriverTopology(volume, field);
  const { [field]: _, ...spec } = placed.spec;
  const accessModes = field === "gcePersistentDisk" ? gceModes(spec.accessModes) : spec.accessModes;
  return { ...placed, spec: { ...spec, csi, ...(accessModes && { accessModes }) } };
}

/**
 * A volume of a pod in the form in which the CSI driver that took over its kind knows it; undefined if its kind was not
 * migrated.
 *
 * @param namespace of the pod
 * @throws Error if the driver has no such volumes
 */
export function translateInlineVolume(volume: core.Volume, namespace: string): InlineVolume | undefined {
  const field = migratedFieldOf(volume);
  if (field === undefined) return undefined;
  const { csi, inlineName, inlineMode } = translate(field, volume, { in: "pod", name: volume.name, namespace });
  // Volumes of pods cannot be block devices.
  return { name: inlineName, spec: { csi, accessModes: [inlineMode], volumeMode: "Filesystem" } };
}
