/** Why a node does not run a pod that is bound to it. */
export interface Refusal {
  /** One word such as `OutOfcpu` or `NodeAffinity`, which is the reason of the event and of the pod's status. */
  readonly reason: string;
  readonly message: string;
  /** Whether a newer version of the Node object could change the result: the agent's cached version may be stale. */
  readonly dependsOnNode: boolean;
}

/** Why the agent terminates a pod that nobody deleted. The pod gets phase Failed with this reason and message. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  /** @default the pod's own */
  readonly graceSeconds?: number | undefined;
  /** Whether the node evicted the pod to free resources; then it gets the condition DisruptionTarget. */
  readonly disruption?: boolean;
  /** Message of that condition. @default `message` */
  readonly disruptionMessage?: string;
  /** Whether the pod was not admitted, so that none of its containers was started. */
  readonly rejected?: boolean;
}

/** The failure of a rejected pod. */
export function rejectionOf({ reason, message }: Refusal): PodFailure {
  return { reason, message: `Pod was rejected: ${message}`, graceSeconds: 0, rejected: true };
}
