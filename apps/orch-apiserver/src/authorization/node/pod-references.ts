import type { core } from "@orchernetes/api";

/** What a node may read because one of its pods names it. Keys are `resource/namespace/name` (no namespace: cluster-scoped). */
export function podReferences(pod: core.Pod): readonly string[] {
  const namespace = pod.metadata.namespace ?? "";
  const { spec } = pod;
  const keys = new Set<string>();
  const add = (resource: string, name: string | undefined) => {
    if (name) keys.add(`${resource}/${namespace}/${name}`);
  };
  add("serviceaccounts", spec.serviceAccountName);
  for (const secret of spec.imagePullSecrets ?? []) add("secrets", secret.name);
  for (const container of [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])]) {
    for (const from of container.envFrom ?? []) {
      add("configmaps", from.configMapRef?.name);
      add("secrets", from.secretRef?.name);
    }
    for (const { valueFrom } of container.env ?? []) {
      add("configmaps", valueFrom?.configMapKeyRef?.name);
      add("secrets", valueFrom?.secretKeyRef?.name);
    }
  }
  for (const volume of spec.volumes ?? []) addVolume(volume, pod.metadata.name ?? "", add);
  return [...keys];
}

function addVolume(
  volume: core.Volume,
  podName: string,
  add: (resource: string, name: string | undefined) => void,
): void {
  add("secrets", volume.secret?.secretName);
  add("configmaps", volume.configMap?.name);
  add("persistentvolumeclaims", volume.persistentVolumeClaim?.claimName);
  if (volume.ephemeral) add("persistentvolumeclaims", `${podName}-${volume.name}`);
  for (const source of volume.projected?.sources ?? []) {
    add("secrets", source.secret?.name);
    add("configmaps", source.configMap?.name);
  }
  add("secrets", volume.azureFile?.secretName);
  add("secrets", volume.cephfs?.secretRef?.name);
  add("secrets", volume.cinder?.secretRef?.name);
  add("secrets", volume.csi?.nodePublishSecretRef?.name);
  add("secrets", volume.flexVolume?.secretRef?.name);
  add("secrets", volume.iscsi?.secretRef?.name);
  add("secrets", volume.rbd?.secretRef?.name);
  add("secrets", volume.scaleIO?.secretRef?.name);
  add("secrets", volume.storageos?.secretRef?.name);
}
