import type { core } from "@orchernetes/api";
import type { Counter, Histogram } from "@orchernetes/component";
import type { CheckResult } from "./check.ts";

/** The instruments of probes. */
export interface ProbeInstruments {
  /** Labels: probe_type, result, container, pod, namespace, pod_uid. */
  readonly results?: Pick<Counter, "inc" | "remove">;
  /** Labels: probe_type, container, pod, namespace. In seconds. */
  readonly durations?: Pick<Histogram, "observe" | "remove">;
}

const outcomes = { success: "successful", failure: "failed", unknown: "unknown" } as const;

/** Counts the checks of probes, by their pods: series of pods that are gone would take more and more memory. */
export class ProbeMetrics {
  readonly #instruments: ProbeInstruments;
  /** What removes the series of each pod, by what names them. */
  readonly #ofPods = new Map<string, Map<string, () => void>>();

  constructor(instruments: ProbeInstruments) {
    this.#instruments = instruments;
  }

  count(
    { metadata: { name = "", namespace = "", uid = "" } }: core.Pod,
    container: string,
    title: string,
    check: { readonly outcome: CheckResult["outcome"]; readonly seconds: number },
  ): void {
    const { results, durations } = this.#instruments;
    const result = [title, outcomes[check.outcome], container, name, namespace, uid];
    const duration = [title, container, name, namespace];
    durations?.observe(check.seconds, duration);
    results?.inc(result);
    const series = this.#ofPods.get(uid) ?? new Map<string, () => void>();
    this.#ofPods.set(uid, series);
    const key = `${title}/${check.outcome}/${container}`;
    if (series.has(key)) return;
    series.set(key, () => {
      durations?.remove(duration);
      results?.remove(result);
    });
  }

  /** Removes the series of a pod. */
  forget(podUid: string): void {
    for (const remove of this.#ofPods.get(podUid)?.values() ?? []) remove();
    this.#ofPods.delete(podUid);
  }
}
