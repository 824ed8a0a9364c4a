import type { PodChange } from "../history/replay.ts";
import { hasLeft, leftByItself } from "./rule.ts";

/** The availability of one owner now. */
export interface Availability {
  /** Available pods, or nodes with one. */
  readonly available: number;
  /** Those that the controllers have reported. */
  readonly reported: number;
  /** The fewest that the current version allows. */
  readonly floor: number;
  /** Whether everything is as the current version says, and was observed. */
  readonly complete: boolean;
}

/**
 * The fewest available pods that an owner may have. It is the lowest of the versions since everything was as it should be: a
 * controller that scales down by one version is followed by others that delete the pods. It holds once the controllers have reported
 * as many available pods: before, they may remove pods that they know as unavailable and that become available at that moment.
 */
export class AvailabilityFloor {
  #floor: number | undefined;
  #holds = false;
  /** Pods that have left by themselves: they are missing without a fault of a controller. */
  #lost = 0;

  /** Observes a change; returns how many pods should be available if there are fewer. */
  observe({ available, reported, floor, complete }: Availability, pods: PodChange | undefined): number | undefined {
    if (complete) {
      this.#floor = floor;
      this.#holds = true;
      this.#lost = 0;
      return undefined;
    }
    this.#floor = Math.min(this.#floor ?? floor, floor);
    if (pods !== undefined && hasLeft(pods) && leftByItself(pods)) this.#lost += 1;
    if (Math.min(available, reported) >= this.#floor) this.#holds = true;
    const wanted = this.#floor - this.#lost;
    if (!this.#holds || available >= wanted) return undefined;
    // Reported once: it holds again when the pods are back.
    this.#holds = false;
    return wanted;
  }
}
