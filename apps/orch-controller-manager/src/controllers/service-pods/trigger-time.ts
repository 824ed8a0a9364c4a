import { formatTime } from "@orchernetes/apimachinery";
import { podCondition } from "@orchernetes/component-helpers";
import type { Pod, Service } from "./service-selector.ts";

/**
 * Annotation with the time of the oldest change that caused an update of endpoints; monitoring computes latencies from
 * it.
 */
export const triggerTimeAnnotation = "endpoints.orchernetes.io/last-change-trigger-time";

/** Records the versions of services and pods for which endpoints were last computed. */
export class TriggerTimes {
  readonly #services = new Map<string, { serviceMs: number; pods: Map<string, number> }>();

  /** Time of the oldest change since the last call for this service; undefined if no change has a time. */
  oldestChange(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#services.get(key);
    const seen = new Map<string, number>();
    let oldest = Number.POSITIVE_INFINITY;
    for (const pod of pods) {
      const ms = changedAtMs(pod);
      seen.set(pod.metadata.uid, ms);
      const known = before?.pods.get(pod.metadata.uid) ?? 0;
      if (ms > known) oldest = Math.min(oldest, ms);
    }
    const serviceMs = Date.parse(service.metadata.creationTimestamp);
    if (before === undefined || before.serviceMs !== serviceMs) oldest = Math.min(oldest, serviceMs);
    this.#services.set(key, { serviceMs, pods: seen });
    return Number.isFinite(oldest) ? formatTime(new Date(oldest)) : undefined;
  }

  forget(key: string): void {
    this.#services.delete(key);
  }
}

function changedAtMs(pod: Pod): number {
  const transition = podCondition(pod, "Ready")?.lastTransitionTime;
  return Date.parse(transition ?? pod.metadata.creationTimestamp);
}
