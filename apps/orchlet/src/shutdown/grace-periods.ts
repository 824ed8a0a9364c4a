import type { core } from "@orchernetes/api";
import { podPriority, systemCriticalPriority } from "@orchernetes/component-helpers";
import type { OrchletConfiguration } from "@orchernetes/config";

/** How long a shutdown of the host waits for pods of at least a priority. */
export interface ShutdownGracePeriod {
  readonly priority: number;
  readonly seconds: number;
}

/** The pods of one such period. */
export interface ShutdownGroup extends ShutdownGracePeriod {
  readonly pods: readonly core.Pod[];
}

type Settings = Pick<
  OrchletConfiguration,
  "shutdownGracePeriod" | "shutdownGracePeriodCriticalPods" | "shutdownGracePeriodByPodPriority"
>;

/** The periods of a configuration, lowest priority first; none if a shutdown waits for no pod. Pure. */
export function gracePeriodsOf(settings: Settings): readonly ShutdownGracePeriod[] {
  const { shutdownGracePeriod: all, shutdownGracePeriodCriticalPods: critical } = settings;
  const byPriority = settings.shutdownGracePeriodByPodPriority.map(({ priority, shutdownGracePeriodSeconds }) => ({
    priority,
    seconds: shutdownGracePeriodSeconds,
  }));
  if (byPriority.length > 0) return byPriority.sort((a, b) => a.priority - b.priority);
  if (all === 0) return [];
  return [
    { priority: 0, seconds: Math.trunc((all - critical) / 1000) },
    { priority: systemCriticalPriority, seconds: Math.trunc(critical / 1000) },
  ];
}

/**
 * Pods by the periods that they get, in the order in which they end: a pod belongs to the highest period that is not above its
 * priority; one below all of them to the lowest. Pure.
 *
 * @param periods lowest priority first
 */
export function groupByPriority(
  periods: readonly ShutdownGracePeriod[],
  pods: readonly core.Pod[],
): readonly ShutdownGroup[] {
  const indexOf = ({ spec }: core.Pod): number =>
    Math.max(
      0,
      periods.findLastIndex(({ priority }) => priority <= podPriority(spec)),
    );
  return periods.map((period, i) => ({ ...period, pods: pods.filter((pod) => indexOf(pod) === i) }));
}

/** The sum of all periods in seconds, which is how long the host must wait. Pure. */
export const totalSeconds = (periods: readonly ShutdownGracePeriod[]): number =>
  periods.reduce((sum, { seconds }) => sum + seconds, 0);

/** The grace period of a pod: its own, but not more than that of its group. Pure. */
export const graceOf = (pod: core.Pod, { seconds }: ShutdownGracePeriod): number =>
  Math.min(pod.spec.terminationGracePeriodSeconds ?? seconds, seconds);
