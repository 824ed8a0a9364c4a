import type { core } from "@orchernetes/api";

/** Names of the volumes whose content is on the node's own disk, and goes with the pod. */
export const localVolumes = (pod: core.Pod | undefined): ReadonlySet<string> =>
  new Set(
    (pod?.spec.volumes ?? []).flatMap(({ name, emptyDir, configMap }) =>
      configMap !== undefined || (emptyDir !== undefined && (emptyDir.medium ?? "") === "") ? [name] : [],
    ),
  );
