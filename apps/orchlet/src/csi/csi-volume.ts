import { createHash } from "node:crypto";
import type { core, storage } from "@orchernetes/api";
import { valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { VolumeCapability } from "@orchernetes/csi";
import type { NodeCapabilities } from "./csi-drivers.ts";

/** A reference to a secret of a driver. */
export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

/** A volume of a driver: the source of a persistent volume, or of an inline one. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
  /** Name of the PersistentVolume, or of the volume in the pod. */
  readonly name: string;
  readonly lifecycle: "Persistent" | "Ephemeral";
  readonly block: boolean;
  readonly readOnly: boolean;
  readonly fsType: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly mountOptions: readonly string[];
  readonly accessModes: readonly string[];
  readonly stageSecret: SecretPlace | undefined;
  readonly publishSecret: SecretPlace | undefined;
  readonly expandSecret: SecretPlace | undefined;
  /** Size of a persistent volume; 0 if it is not known. */
  readonly capacityBytes: number;
}

type Csi = core.CSIPersistentVolumeSource;

/** The CSI volume of a PersistentVolume. @param readOnly whether the claim is used for reading only */
export function persistentCsiVolume({ metadata, spec }: core.PersistentVolume, csi: Csi, readOnly: boolean): CsiVolume {
  const placeOf = (ref: core.SecretReference | undefined): SecretPlace | undefined =>
    ref && { namespace: ref.namespace ?? "", name: ref.name ?? "" };
  const { storage: size } = spec.capacity ?? {};
  return {
    driver: csi.driver,
    handle: csi.volumeHandle,
    name: metadata.name ?? "",
    lifecycle: "Persistent",
    block: spec.volumeMode === "Block",
    readOnly: readOnly || (csi.readOnly ?? false),
    fsType: csi.fsType ?? "",
    attributes: csi.volumeAttributes ?? {},
    mountOptions: spec.mountOptions ?? [],
    accessModes: spec.accessModes ?? [],
    stageSecret: placeOf(csi.nodeStageSecretRef),
    publishSecret: placeOf(csi.nodePublishSecretRef),
    expandSecret: placeOf(csi.nodeExpandSecretRef),
    capacityBytes: size === undefined ? 0 : wholeValueOf(size),
  };
}

/** A volume that lives as long as its pod (KEP-596). Its handle is computed as in the original, so that it is found again. */
export function inlineCsiVolume({ metadata }: core.Pod, name: string, csi: core.CSIVolumeSource): CsiVolume {
  const { uid = "", namespace = "" } = metadata;
  const { nodePublishSecretRef } = csi;
  return {
    driver: csi.driver,
    handle: `csi-${createHash("sha256").update(`${uid}${name}`).digest("hex")}`,
    name,
    lifecycle: "Ephemeral",
    block: false,
    readOnly: csi.readOnly ?? false,
    fsType: csi.fsType ?? "",
    attributes: csi.volumeAttributes ?? {},
    mountOptions: [],
    accessModes: ["ReadWriteOnce"],
    stageSecret: undefined,
    publishSecret: nodePublishSecretRef && { namespace, name: nodePublishSecretRef.name ?? "" },
    expandSecret: undefined,
    capacityBytes: 0,
  };
}

/** The capability that is requested for a volume. @param group of its files; only for drivers that can set it */
export function capabilityOf(volume: CsiVolume, node: NodeCapabilities, group?: number): Partial<VolumeCapability> {
  const accessMode = { mode: accessModeOf(volume, node) };
  if (volume.block) return { block: {}, accessMode };
  const { fsType, mountOptions } = volume;
  const volumeMountGroup = group === undefined ? "" : String(group);
  return { mount: { fsType, mountFlags: [...mountOptions], volumeMountGroup }, accessMode };
}

/** The access mode of CSI for the first one of the volume, as in the original. */
function accessModeOf(
  { accessModes: [mode] }: CsiVolume,
  node: NodeCapabilities,
): NonNullable<VolumeCapability["accessMode"]>["mode"] {
  const distinguishes = node.has("SINGLE_NODE_MULTI_WRITER");
  switch (mode) {
    case "ReadOnlyMany":
      return "MULTI_NODE_READER_ONLY";
    case "ReadWriteMany":
      return "MULTI_NODE_MULTI_WRITER";
    case "ReadWriteOncePod":
      return distinguishes ? "SINGLE_NODE_SINGLE_WRITER" : "SINGLE_NODE_WRITER";
    case "ReadWriteOnce":
      return distinguishes ? "SINGLE_NODE_MULTI_WRITER" : "SINGLE_NODE_WRITER";
    default:
      return "UNKNOWN";
  }
}

/**
 * Whether the agent gives the files of a volume to the group of its pod (KEP-1682).
 *
 * @param spec of the CSIDriver; undefined if there is none
 */
export function takesGroup(volume: CsiVolume, spec: storage.CSIDriverSpec | undefined): boolean {
  switch (spec?.fsGroupPolicy ?? "ReadWriteOnceWithFSType") {
    case "None":
      return false;
    case "File":
      return true;
    default:
      return (
        volume.fsType !== "" &&
        volume.accessModes.some((mode) => mode === "ReadWriteOnce" || mode === "ReadWriteOncePod")
      );
  }
}

/** Checks that a driver has volumes of this kind. @throws Error with the original's message */
export function checkLifecycle({ driver, lifecycle }: CsiVolume, spec: storage.CSIDriverSpec | undefined): void {
  const modes = spec?.volumeLifecycleModes ?? ["Persistent"];
  if (modes.includes(lifecycle)) return;
  const why = spec === undefined ? "no CSIDriver object" : `only supports ["${modes.join('" "')}"]`;
  throw new Error(`volume mode "${lifecycle}" not supported by driver ${driver} (${why})`);
}
