import type { apps } from "@orchernetes/api";

/** What the tests read of the objects that kubectl prints. */
export interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly { readonly ready: boolean; readonly containerID?: string }[];
  };
}

/** A list of them. */
export interface List<T> {
  readonly items: readonly T[];
}

/** Whether as many pods as wanted are there and ready, of the latest template, and no more. */
export function isComplete({ metadata, spec, status }: apps.Deployment): boolean {
  const counts = [status?.replicas, status?.updatedReplicas, status?.readyReplicas];
  return (
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    counts.every((count) => (count ?? 0) === spec.replicas)
  );
}

/** A persistent volume. */
export interface Volume {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly local?: { readonly path: string };
    readonly claimRef?: { readonly name: string };
  };
  readonly status: { readonly phase: string };
}
