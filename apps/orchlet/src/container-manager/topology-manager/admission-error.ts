import { messageOf } from "@orchernetes/kernel";
import type { Refusal } from "../../types/pod-failure.ts";

/** Why the resources of a pod cannot be allocated. */
export class AdmissionError extends Error {
  override readonly name = "AdmissionError";
  /** The reason of the pod's status, such as `TopologyAffinityError`. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The refusal of a pod whose resources could not be allocated. The texts are the original's. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof AdmissionError) return { reason: error.reason, message: error.message, dependsOnNode: false };
  return {
    reason: "UnexpectedAdmissionError",
    message: `Allocate failed due to ${messageOf(error)}, which is unexpected`,
    dependsOnNode: false,
  };
}
