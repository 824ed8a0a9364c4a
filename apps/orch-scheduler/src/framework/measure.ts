import type { CycleMeter, MeasuredPoint, PointStatus } from "./cycle-meter.ts";
import type { Plugin } from "./interfaces.ts";

const success = (): PointStatus => "Success";

/** Runs all plugins of an extension point, and measures that. What `run` throws counts as `Error`. */
export function measurePoint<T>(
  meter: CycleMeter | undefined,
  point: MeasuredPoint,
  run: () => T,
  statusOf: (result: T) => PointStatus = success,
): T {
  if (meter === undefined) return run();
  return measured(meter, run, statusOf, (status, startedMs) => meter.point(point, status, startedMs));
}

/** Runs a plugin, and measures that if plugins are measured in this cycle. What `run` throws counts as `Error`. */
export function measurePlugin<T>(
  meter: CycleMeter | undefined,
  { name }: Plugin,
  point: MeasuredPoint,
  run: () => T,
  statusOf: (result: T) => PointStatus = success,
): T {
  if (meter?.measuresPlugins !== true) return run();
  return measured(meter, run, statusOf, (status, startedMs) => meter.plugin(name, point, status, startedMs));
}

function measured<T>(
  meter: CycleMeter,
  run: () => T,
  statusOf: (result: T) => PointStatus,
  report: (status: PointStatus, startedMs: number) => void,
): T {
  const startedMs = meter.now();
  let status: PointStatus = "Error";
  try {
    const result = run();
    status = statusOf(result);
    return result;
  } finally {
    report(status, startedMs);
  }
}
