import { assertNever } from "@orchernetes/kernel";
import { nextStarting, nextSyncing } from "./next-syncing.ts";
import { nextTerminated, nextTerminating } from "./next-terminating.ts";
import type { Now, PodState } from "./pod-state.ts";
import type { PodObservation, Transition } from "./transition.ts";

/**
 * The life of one pod on this node, as a pure function: what the worker of the pod has learned takes it to the next state and
 * tells what is to be done. The worker carries out the actions in order, and hands in the result of each effect.
 *
 * - Rounds begin with `Due`, read the runtime and end with `Wait`; in between one effect is under way at a time.
 * - Changes from outside may come at any time. They are never lost: the state has them at once, the next round acts on them.
 * - Once a pod ends, it never starts anything again, and its grace period only shrinks. A pod that its source has again
 *   meanwhile is handed on in {@link PodState} `Gone`, to be started by a new worker.
 *
 * @throws Error for a result that no effect under way can have
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
