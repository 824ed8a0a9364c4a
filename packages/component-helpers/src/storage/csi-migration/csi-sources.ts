import type { core } from "@orchernetes/api";
import { azureDiskSource, azureFileHandle, ebsVolumeId, gceHandle, type Place } from "./handles.ts";
import { type MigratedField, migratedPlugins } from "./migrated-plugins.ts";

type CsiSource = core.CSIPersistentVolumeSource;
type AccessMode = NonNullable<core.PersistentVolumeSpec["accessModes"]>[number];

type SourceIn<F extends MigratedField> = NonNullable<core.PersistentVolumeSpec[F] | core.Volume[F]>;

/** How the driver of a kind of volume is told what the in-tree plugin knew. */
interface MigratedKind<Source> {
  /** Handle and attributes for the driver. @throws Error if the driver has no such volumes */
  csi(source: Source, place: Place): Omit<CsiSource, "driver">;
  /** Name under which a volume of a pod is known; unique for each disk. */
  inlineName(source: Source, handle: string): string;
  /** Access mode of a volume of a pod. */
  inlineMode(source: Source): AccessMode;
}

interface Common {
  readonly fsType?: string | undefined;
  readonly readOnly?: boolean | undefined;
}

/** The fields that mean the same in both. */
const common = ({ fsType, readOnly }: Common): Pick<CsiSource, "fsType" | "readOnly"> => ({
  ...(readOnly ? { readOnly } : {}),
  ...(fsType ? { fsType } : {}),
});

const once = (): AccessMode => "ReadWriteOnce";
const named = (field: MigratedField, id: string): string => `${migratedPlugins[field].driver}-${id}`;

/** By the field of the volume. Source: csi-translation-lib of 1.27. */
export const migratedKinds: { readonly [F in MigratedField]: MigratedKind<SourceIn<F>> } = {
  awsElasticBlockStore: {
    csi: (source) => ({
      volumeHandle: ebsVolumeId(source.volumeID),
      ...common(source),
      volumeAttributes: { partition: String(source.partition ?? 0) },
    }),
    inlineName: (_, handle) => named("awsElasticBlockStore", handle),
    inlineMode: once,
  },
  azureDisk: {
    csi: (source) => azureDiskSource(source),
    inlineName: (_, handle) => handle,
    inlineMode: once,
  },
  azureFile: {
    csi(source, place) {
      const { handle, secretNamespace } = azureFileHandle(source, place);
      return {
        volumeHandle: handle,
        ...common(source),
        volumeAttributes: { sharename: source.shareName },
        nodeStageSecretRef: { name: source.secretName, namespace: secretNamespace },
      };
    },
    inlineName: (_, handle) => handle,
    inlineMode: () => "ReadWriteMany",
  },
  cinder: {
    csi: (source) => ({ volumeHandle: source.volumeID, ...common(source) }),
    inlineName: (_, handle) => named("cinder", handle),
    inlineMode: once,
  },
  gcePersistentDisk: {
    csi: (source, place) => ({
      volumeHandle: gceHandle(source.pdName, place.in === "volume" ? place.volume.metadata.labels : undefined),
      ...common(source),
      volumeAttributes: { partition: source.partition ? String(source.partition) : "" },
    }),
    inlineName: ({ pdName }) => named("gcePersistentDisk", pdName),
    inlineMode: ({ readOnly }) => (readOnly ? "ReadOnlyMany" : "ReadWriteOnce"),
  },
  vsphereVolume: {
    csi: ({ volumePath, fsType, storagePolicyName }) => ({
      volumeHandle: volumePath,
      ...common({ fsType }),
      ...(storagePolicyName ? { volumeAttributes: { storagepolicyname: storagePolicyName } } : {}),
    }),
    inlineName: (_, handle) => named("vsphereVolume", handle),
    inlineMode: once,
  },
};
