import type { core } from "@orchernetes/api";
import { type Control, type PodLike, plural, quoted, sorted } from "./control.ts";

const allowed = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const satisfies readonly (keyof core.Volume)[];

const known = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
] as const satisfies readonly (keyof core.Volume)[];

function check({ spec }: PodLike) {
  const bad = (spec.volumes ?? []).filter((volume) => allowed.every((type) => volume[type] === undefined));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map((volume) => known.find((type) => volume[type] !== undefined) ?? "unknown"));
  const names = bad.map(({ name }) => name);
  return {
    reason: "restricted volume types",
    detail: [
      `${plural("volume", "volumes", names.length)} ${quoted(names)} ${plural("uses", "use", names.length)}`,
      `${plural("restricted volume type", "restricted volume types", types.length)} ${quoted(types)}`,
    ].join(" "),
  };
}

/** Volumes are of the types that need no trust. */
export const restrictedVolumes: Control = {
  id: "restrictedVolumes",
  level: "restricted",
  replaces: "hostPathVolumes",
  versions: [{ since: 0, check }],
};
