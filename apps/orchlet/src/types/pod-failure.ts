import type { Refusal } from "./refusal.ts";

/** Why a pod has to end although nobody deleted it; becomes its phase Failed with this reason and message. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  /** @default the pod's own */
  readonly graceSeconds?: number | undefined;
  /** The node evicted the pod to free resources: reported as condition DisruptionTarget. */
  readonly disruption?: boolean;
  /** Message of that condition. @default `message` */
  readonly disruptionMessage?: string;
  /** The pod was not admitted, so none of its containers was started. */
  readonly rejected?: boolean;
}

/** The failure of a rejected pod. */
export function rejectionOf({ reason, message }: Refusal): PodFailure {
  return { reason, message: `Pod was rejected: ${message}`, graceSeconds: 0, rejected: true };
}
