import type { PodInfo } from "../cache/pod-info.ts";
import { type Rejector, rejectorOf } from "./cluster-change.ts";
import type { CycleMeter, PointStatus } from "./cycle-meter.ts";
import type { PreEnqueuePlugin } from "./interfaces.ts";
import { measurePlugin, measurePoint } from "./measure.ts";
import type { Profile } from "./profile.ts";

/** A plugin that holds a pod back, and its result in metrics. */
interface Hold {
  readonly plugin: PreEnqueuePlugin;
  readonly status: PointStatus;
}

/** Called with a plugin that failed for a pod. */
type OnFailure = (plugin: PreEnqueuePlugin, pod: PodInfo, error: unknown) => void;

function holdBy(
  plugin: PreEnqueuePlugin,
  pod: PodInfo,
  meter: CycleMeter | undefined,
  failed: OnFailure,
): Hold | undefined {
  const run = () => plugin.preEnqueue(pod);
  try {
    const message = measurePlugin(meter, plugin, "PreEnqueue", run, statusOf);
    return message === undefined ? undefined : { plugin, status: statusOf(message) };
  } catch (error) {
    // A plugin that fails must not let a pod pass, and must not end the handling of events.
    failed(plugin, pod, error);
    return { plugin, status: "Error" };
  }
}

const statusOf = (message: string | undefined): PointStatus =>
  message === undefined ? "Success" : "UnschedulableAndUnresolvable";

/**
 * Extension point PreEnqueue of the profiles: returns what keeps a pod from being scheduled, which is the first plugin of
 * its profile that holds it back.
 *
 * @param meterOf the meter of a call; @default nothing is measured
 * @param failed @default a failure is only measured
 */
export function preEnqueueOf(
  profiles: readonly Profile[],
  meterOf: (profile: Profile) => CycleMeter | undefined = () => undefined,
  failed: OnFailure = () => undefined,
): (pod: PodInfo) => Rejector | undefined {
  const byName = new Map(profiles.map((profile) => [profile.schedulerName, profile]));
  const holdOf = (pod: PodInfo, plugins: readonly PreEnqueuePlugin[], meter: CycleMeter | undefined) => {
    for (const plugin of plugins) {
      const hold = holdBy(plugin, pod, meter, failed);
      if (hold !== undefined) return hold;
    }
    return undefined;
  };
  return (pod) => {
    const profile = byName.get(pod.pod.spec.schedulerName ?? "");
    if (profile === undefined) return undefined;
    const meter = meterOf(profile);
    const run = () => holdOf(pod, profile.preEnqueues, meter);
    const hold = measurePoint(meter, "PreEnqueue", run, (result) => result?.status ?? "Success");
    return hold && rejectorOf(hold.plugin);
  };
}
