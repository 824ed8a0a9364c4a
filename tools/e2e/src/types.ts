/** What the tests read of the objects that kubectl prints. */
export interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly { readonly ready: boolean; readonly containerID?: string }[];
  };
}

/** See {@link Pod}. */
export interface Deployment {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
  };
}

/** A list of them. */
export interface List<T> {
  readonly items: readonly T[];
}

/** Whether as many pods as wanted are there and ready, of the latest template, and no more. */
export function isComplete({ metadata, spec, status }: Deployment): boolean {
  return (
    (status.observedGeneration ?? 0) >= metadata.generation &&
    (status.replicas ?? 0) === spec.replicas &&
    (status.updatedReplicas ?? 0) === spec.replicas &&
    (status.readyReplicas ?? 0) === spec.replicas
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
