import type { Draft } from "@orchernetes/apimachinery";
import type { PersistentVolumeClaimSpec } from "../types/persistent-volume-claim.ts";
import type { DownwardAPIVolumeFile, Volume, VolumeSource } from "../types/volume-sources.ts";

/** Mode 0644 of files in volumes. JSON has no octal numbers, so clients see 420. */
const defaultFileMode = 420;

/** Sets the defaults of a volume of a pod. A volume without a source becomes an `emptyDir`. */
export function defaultVolume(volume: Draft<Volume>): void {
  if (!hasSource(volume)) {
    volume.emptyDir = {};
    return;
  }
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source !== undefined) {
      source.defaultMode ??= defaultFileMode;
    }
  }
  defaultDownwardFiles(volume.downwardAPI?.items);
  for (const { serviceAccountToken, downwardAPI } of volume.projected?.sources ?? []) {
    if (serviceAccountToken !== undefined) {
      serviceAccountToken.expirationSeconds ??= 3600;
    }
    defaultDownwardFiles(downwardAPI?.items);
  }
  if (volume.ephemeral?.volumeClaimTemplate !== undefined) {
    volume.ephemeral.volumeClaimTemplate.spec ??= { resources: {} };
    defaultClaimSpec(volume.ephemeral.volumeClaimTemplate.spec);
  }
  defaultSources(volume);
}

type SharedSources = Pick<Draft<VolumeSource>, "hostPath" | "iscsi" | "rbd" | "azureDisk" | "scaleIO">;

/** Sets the defaults of the volume sources that pods and persistent volumes have in common. */
export function defaultSources(sources: SharedSources): void {
  const { hostPath, iscsi, rbd, azureDisk, scaleIO } = sources;
  if (hostPath !== undefined) {
    hostPath.type ??= "";
  }
  if (iscsi !== undefined) {
    iscsi.iscsiInterface ||= "default";
  }
  if (rbd !== undefined) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.kind ??= "Shared";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
  }
  if (scaleIO !== undefined) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
}

/** Sets the defaults of the spec of a claim or of a claim template. The access modes have none: each storage class supports others. */
export function defaultClaimSpec(spec: Draft<PersistentVolumeClaimSpec>): void {
  spec.resources ??= {};
  spec.volumeMode ??= "Filesystem";
}

/** Defaults of files of the downward API. */
function defaultDownwardFiles(items: Draft<DownwardAPIVolumeFile>[] | undefined): void {
  for (const { fieldRef, resourceFieldRef } of items ?? []) {
    if (fieldRef !== undefined) {
      fieldRef.apiVersion ||= "v1";
    }
    if (resourceFieldRef !== undefined) {
      resourceFieldRef.divisor ||= "0";
    }
  }
}

/**
 * Whether the volume has any source. Sources are the fields other than the name, so that a new one needs no change
 * here.
 */
function hasSource(volume: Draft<Volume>): boolean {
  for (const key in volume) {
    if (key !== "name" && volume[key as keyof VolumeSource] !== undefined) {
      return true;
    }
  }
  return false;
}
