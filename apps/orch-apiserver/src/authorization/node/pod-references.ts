import type { core } from "@orchernetes/api";

/**
 * Returns the objects that a node may read because this pod refers to them, as `resource/namespace/name`. Generated names (of ephemeral
 * claims and of claims from templates) are those that the controllers choose.
 */
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
  for (const { name, source } of spec.resourceClaims ?? []) {
    add("resourceclaims", source?.resourceClaimName);
    if (source?.resourceClaimTemplateName) add("resourceclaims", `${pod.metadata.name ?? ""}-${name}`);
  }
  for (const volume of spec.volumes ?? []) addVolume(volume, pod.metadata.name ?? "", add);
  return [...keys];
}

/** A use of a secret in a pod, and the words with which messages of plugin ServiceAccount describe it. */
export interface SecretUse {
  readonly secret: string;
  readonly where: string;
}

/** Returns the secrets that the volumes and containers of a pod use. Image pull secrets are not among them. */
export function podSecretUses(spec: core.PodSpec): readonly SecretUse[] {
  const volumes = (spec.volumes ?? []).flatMap((volume) =>
    secretsOfVolume(volume).map((secret) => ({ secret, where: "volume with" })),
  );
  const lists = [
    ["init container", spec.initContainers],
    ["container", spec.containers],
    ["ephemeral container", spec.ephemeralContainers],
  ] as const;
  const containers = lists.flatMap(([what, list]) =>
    (list ?? []).flatMap(({ name, env, envFrom }) => [
      ...(env ?? []).flatMap((variable) => {
        const secret = variable.valueFrom?.secretKeyRef?.name;
        return secret ? [{ secret, where: `${what} ${name} with envVar ${variable.name} referencing` }] : [];
      }),
      ...(envFrom ?? []).flatMap(({ secretRef }) =>
        secretRef?.name ? [{ secret: secretRef.name, where: `${what} ${name} with envFrom referencing` }] : [],
      ),
    ]),
  );
  return [...volumes, ...containers];
}

/** Returns the names of the secrets that a volume refers to. They are in the namespace of the pod. */
function secretsOfVolume(volume: core.Volume): readonly string[] {
  const names = [
    volume.secret?.secretName,
    ...(volume.projected?.sources ?? []).map((source) => source.secret?.name),
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
    volume.flexVolume?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.rbd?.secretRef?.name,
    volume.scaleIO?.secretRef?.name,
    volume.storageos?.secretRef?.name,
  ];
  return names.flatMap((name) => (name ? [name] : []));
}

/** Adds the objects that a volume refers to. */
function addVolume(
  volume: core.Volume,
  podName: string,
  add: (resource: string, name: string | undefined) => void,
): void {
  for (const secret of secretsOfVolume(volume)) add("secrets", secret);
  add("configmaps", volume.configMap?.name);
  for (const { configMap } of volume.projected?.sources ?? []) add("configmaps", configMap?.name);
  add("persistentvolumeclaims", volume.persistentVolumeClaim?.claimName);
  if (volume.ephemeral) add("persistentvolumeclaims", `${podName}-${volume.name}`);
}
