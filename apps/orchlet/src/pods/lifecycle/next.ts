import { assertNever } from "@orchernetes/kernel";
import { nextStarting, nextSyncing } from "./next-syncing.ts";
import { nextTerminated, nextTerminating } from "./next-terminating.ts";
import type { Now, PodState } from "./pod-state.ts";
import type { PodObservation, Transition } from "./transition.ts";

/**
 * The life cycle of one pod on this node, as a pure function from a state and an observation to the next state and its
 * actions. The worker of the pod performs the actions in order, and passes the result of each effect as the next
 * observation.
 *
 * - A round begins with `Due`, reads the runtime and ends with `Wait`. At most one effect is in flight at a time.
 * - Changes from outside may arrive at any time. They are never lost: the state records them, and the next round acts on them.
 * - A pod that terminates never starts a container again, and its grace period only decreases. If its source has the pod again
 * meanwhile, {@link PodState} `Gone` contains it, and a new worker starts it.
 *
 * @throws Error for a result that does not belong to the effect in flight
 */
export function next(state: PodState, observation: PodObservation, now: Now): Transition {
  switch (state.type) {
    case "Starting":
      return nextStarting(state, observation, now);
    case "Syncing":
      return nextSyncing(state, observation, now);
    case "Terminating":
      return nextTerminating(state, observation, now);
    case "Terminated":
      return nextTerminated(state, observation, now);
    case "Gone":
      return { state, actions: [] };
    default:
      return assertNever(state);
  }
}
