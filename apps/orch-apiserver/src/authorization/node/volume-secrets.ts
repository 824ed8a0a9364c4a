import type { core } from "@orchernetes/api";

/** A reference from a persistent volume to a secret. Without a namespace, the secret is in that of the claim. */
interface SecretName {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/**
 * Returns the secrets that a node needs to mount a persistent volume, as `namespace/name`. Those that only controllers need, such as
 * `controllerPublishSecretRef`, are omitted.
 */
export function volumeSecrets(spec: core.PersistentVolumeSpec, claimNamespace: string): readonly string[] {
  const { azureFile, csi } = spec;
  const named: readonly (SecretName | undefined)[] = [
    azureFile && { name: azureFile.secretName, namespace: azureFile.secretNamespace },
    spec.cephfs?.secretRef,
    spec.cinder?.secretRef,
    spec.flexVolume?.secretRef,
    spec.iscsi?.secretRef,
    spec.rbd?.secretRef,
    spec.scaleIO?.secretRef,
    spec.storageos?.secretRef,
    csi?.nodeStageSecretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  const keys = named.flatMap((secret) =>
    secret?.name ? [`${secret.namespace || claimNamespace}/${secret.name}`] : [],
  );
  return [...new Set(keys)];
}
