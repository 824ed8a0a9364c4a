import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { epoch } from "./object-builder.ts";

/** Metadata of an object in namespace "ns" whose uid is derived from its name. */
function meta(name: string): Stored<{ metadata: object }>["metadata"] {
  return { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: epoch };
}

type AccessMode = "ReadWriteOnce" | "ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOncePod";

/** The properties of a claim that matter in a test. */
export interface ClaimSketch {
  readonly size?: string;
  readonly modes?: readonly AccessMode[];
  readonly className?: string | undefined;
  readonly volumeName?: string;
  readonly volumeMode?: "Block" | "Filesystem";
  readonly selector?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: core.PersistentVolumeClaimStatus;
  readonly deleting?: boolean;
  readonly finalizers?: readonly string[];
}

/** A claim of 1Gi, class "fast". */
export function claim(name: string, sketch: ClaimSketch = {}): Stored<core.PersistentVolumeClaim> {
  const { size = "1Gi", modes = ["ReadWriteOnce"], volumeName, volumeMode = "Filesystem", selector } = sketch;
  const className = "className" in sketch ? sketch.className : "fast";
  return {
    metadata: {
      ...meta(name),
      ...(sketch.annotations === undefined ? {} : { annotations: sketch.annotations }),
      ...(sketch.deleting ? { deletionTimestamp: "2024-01-01T00:00:00Z" } : {}),
      ...(sketch.finalizers === undefined ? {} : { finalizers: sketch.finalizers }),
    },
    spec: {
      accessModes: modes,
      resources: { requests: { storage: size } },
      volumeMode,
      ...(className === undefined ? {} : { storageClassName: className }),
      ...(volumeName === undefined ? {} : { volumeName }),
      ...(selector === undefined ? {} : { selector: { matchLabels: selector } }),
    },
    status: sketch.status ?? { phase: "Pending" },
  };
}

/** The properties of a volume that matter in a test. */
export interface VolumeSketch {
  readonly size?: string;
  readonly modes?: readonly AccessMode[];
  readonly className?: string;
  readonly volumeMode?: "Block" | "Filesystem";
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly phase?: "Pending" | "Available" | "Bound" | "Released" | "Failed";
  /** Name of the claim in "ns" that it is for; with a uid unless `uid` is "". */
  readonly claim?: string;
  readonly uid?: string;
  readonly policy?: "Retain" | "Delete" | "Recycle";
  readonly source?: Partial<core.PersistentVolumeSpec>;
  readonly deleting?: boolean;
  readonly finalizers?: readonly string[];
}

/** An available volume of 1Gi, class "fast", at host path /none. */
export function volume(name: string, sketch: VolumeSketch = {}): Stored<core.PersistentVolume> {
  const { size = "1Gi", modes = ["ReadWriteOnce"], className = "fast", phase = "Available" } = sketch;
  const { claim: claimName, uid = `uid-${claimName}`, source = { hostPath: { path: "/none" } } } = sketch;
  const { namespace: _, ...metadata } = meta(name);
  const claimRef = {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    namespace: "ns",
    name: claimName ?? "",
    ...(uid === "" ? {} : { uid }),
  };
  return {
    metadata: {
      ...metadata,
      ...(sketch.labels === undefined ? {} : { labels: sketch.labels }),
      ...(sketch.annotations === undefined ? {} : { annotations: sketch.annotations }),
      ...(sketch.deleting ? { deletionTimestamp: "2024-01-01T00:00:00Z" } : {}),
      ...(sketch.finalizers === undefined ? {} : { finalizers: sketch.finalizers }),
    },
    spec: {
      capacity: { storage: size },
      accessModes: modes,
      storageClassName: className,
      volumeMode: sketch.volumeMode ?? "Filesystem",
      persistentVolumeReclaimPolicy: sketch.policy ?? "Retain",
      ...source,
      ...(claimName === undefined ? {} : { claimRef }),
    },
    status: { phase },
  };
}

/** A storage class with immediate binding unless specified otherwise. */
export function storageClass(name: string, sketch: Partial<storage.StorageClass> = {}): Stored<storage.StorageClass> {
  const { namespace: _, ...metadata } = meta(name);
  const { metadata: more, ...rest } = sketch;
  return {
    metadata: { ...metadata, ...(more as Partial<typeof metadata> | undefined) },
    provisioner: "example.com/maker",
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    ...rest,
  };
}
