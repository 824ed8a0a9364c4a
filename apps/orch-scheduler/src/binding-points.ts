import type { core } from "@orchernetes/api";
import { messageOf } from "@orchernetes/kernel";
import type { PodInfo } from "./cache/pod-info.ts";
import { EXTENDER } from "./extender/extender-binder.ts";
import type { CycleMeter, MeasuredPoint, PointStatus } from "./framework/cycle-meter.ts";
import type { CycleState } from "./framework/cycle-state.ts";
import type { PermitResult, Plugin } from "./framework/interfaces.ts";
import { measurePlugin, measurePoint } from "./framework/measure.ts";
import { pluginError } from "./framework/plugin-error.ts";
import type { Profile } from "./framework/profile.ts";
import { MAX_PERMIT_MS } from "./framework/waiting-pods.ts";

/** What plugins are called with after a decision. */
export interface PointCall {
  /** The pod that the decision is about. */
  readonly info: PodInfo;
  readonly node: core.Node;
  readonly profile: Profile;
  readonly state: CycleState;
  readonly meter: CycleMeter;
}

/** What the Permit plugins say together. */
export type Permission =
  | { readonly type: "permitted" }
  | { readonly type: "rejected"; readonly plugin: string; readonly message: string }
  /** The limits of the plugins that hold the pod, in milliseconds. */
  | { readonly type: "held"; readonly timeouts: ReadonlyMap<string, number> };

/** Called with a plugin that failed where a failure changes nothing. */
type OnFailure = (plugin: Plugin, error: unknown) => void;

/** Runs the plugins of a point one after the other. Without plugins, no time is measured. */
function runAll<P extends Plugin>(
  { meter }: PointCall,
  point: MeasuredPoint,
  plugins: readonly P[],
  run: (plugin: P) => void,
): void {
  if (plugins.length === 0) meter.empty(point);
  else
    measurePoint(meter, point, () => {
      for (const plugin of plugins) measurePlugin(meter, plugin, point, () => run(plugin));
    });
}

/** @throws Error of the first plugin that fails, with its name */
export function runReserve(call: PointCall): void {
  const { info, node, profile, state } = call;
  runAll(call, "Reserve", profile.reserves, (plugin) => {
    try {
      plugin.reserve(info, node, state);
    } catch (cause) {
      throw pluginError(`Reserve plugin "${plugin.name}"`, cause);
    }
  });
}

/** Undoes all reservations, in reverse order. */
export function runUnreserve(call: PointCall, failed: OnFailure): void {
  const { info, node, profile, state } = call;
  runAll(call, "Unreserve", profile.reserves.toReversed(), (plugin) => {
    try {
      plugin.unreserve(info, node, state);
    } catch (error) {
      failed(plugin, error);
    }
  });
}

const permitStatus = (result: PermitResult): PointStatus => {
  if (result === undefined) return "Success";
  return result.type === "reject" ? "Unschedulable" : "Wait";
};

const permissionStatus = ({ type }: Permission): PointStatus =>
  type === "permitted" ? "Success" : type === "held" ? "Wait" : "Unschedulable";

/** @throws Error of the first plugin that fails, with its name */
export function runPermit({ info, node, profile, state, meter }: PointCall): Permission {
  const run = (): Permission => {
    let timeouts: Map<string, number> | undefined;
    for (const plugin of profile.permits) {
      const ask = (): PermitResult => {
        try {
          return plugin.permit(info, node, state);
        } catch (cause) {
          throw pluginError(`Permit plugin "${plugin.name}"`, cause);
        }
      };
      const result = measurePlugin(meter, plugin, "Permit", ask, permitStatus);
      if (result?.type === "reject") return { type: "rejected", plugin: plugin.name, message: result.message };
      if (result === undefined) continue;
      timeouts ??= new Map();
      timeouts.set(plugin.name, Math.min(result.timeoutMs, MAX_PERMIT_MS));
    }
    return timeouts === undefined ? { type: "permitted" } : { type: "held", timeouts };
  };
  if (profile.permits.length > 0) return measurePoint(meter, "Permit", run, permissionStatus);
  meter.empty("Permit");
  return { type: "permitted" };
}

/**
 * Returns undefined if no plugin has anything to do that has to be waited for: most pods are then bound without another promise.
 * Rejects with the error of the first plugin that fails, with its name.
 */
export function runPreBind(call: PointCall, signal: AbortSignal): Promise<void> | undefined {
  const { profile, meter } = call;
  if (profile.preBinds.length === 0) {
    meter.empty("PreBind");
    return undefined;
  }
  const startedMs = meter.now();
  const end = (status: PointStatus): void => meter.point("PreBind", status, startedMs);
  const work = preBindFrom(call, signal, 0);
  if (work === undefined) end("Success");
  return work?.then(
    () => end("Success"),
    (error: unknown) => {
      end("Error");
      throw error;
    },
  );
}

function preBindFrom(call: PointCall, signal: AbortSignal, first: number): Promise<void> | undefined {
  const { info, node, profile, state, meter } = call;
  for (let i = first; i < profile.preBinds.length; i++) {
    const plugin = profile.preBinds[i];
    if (plugin === undefined) continue;
    const startedMs = meter.measuresPlugins ? meter.now() : 0;
    const end = (status: PointStatus): void => {
      if (meter.measuresPlugins) meter.plugin(plugin.name, "PreBind", status, startedMs);
    };
    const failed = (cause: unknown): never => {
      end("Error");
      throw pluginError(`PreBind plugin "${plugin.name}"`, cause);
    };
    let work: Promise<void> | undefined;
    try {
      work = plugin.preBind(info, node, state, signal);
    } catch (error) {
      work = Promise.reject(error);
    }
    if (work !== undefined) return work.then(() => end("Success"), failed).then(() => preBindFrom(call, signal, i + 1));
    end("Success");
  }
  return undefined;
}

/** Why a binder failed. Errors of an extender are its own, as in the original. */
const bindError = (binder: string, cause: unknown): string =>
  binder === EXTENDER ? messageOf(cause) : `running Bind plugin ${JSON.stringify(binder)}: ${messageOf(cause)}`;

/** A binder failed. `cause` is its error. */
export class BindError extends Error {
  override name = "BindError";
}

/**
 * Binds by the first plugin that does not skip the pod. An extender that binds is not a plugin, and is not measured, as upstream.
 *
 * @throws BindError
 */
export async function runBind(call: PointCall, signal: AbortSignal): Promise<void> {
  const { info, node, profile, state, meter } = call;
  let startedMs: number | undefined;
  for (const plugin of profile.binds) {
    const isMeasured = plugin.name !== EXTENDER;
    const fromMs = meter.now();
    if (isMeasured) startedMs ??= fromMs;
    const end = (status: PointStatus): void => {
      if (!isMeasured) return;
      if (meter.measuresPlugins) meter.plugin(plugin.name, "Bind", status, fromMs);
      if (status !== "Skip") meter.point("Bind", status, startedMs ?? fromMs);
    };
    let result: "bound" | "skip";
    try {
      result = await plugin.bind(info, node, state, signal);
    } catch (cause) {
      end("Error");
      throw new BindError(bindError(plugin.name, cause), { cause });
    }
    end(result === "skip" ? "Skip" : "Success");
    if (result === "bound") return;
  }
  meter.point("Bind", "Skip", startedMs ?? meter.now());
  throw new BindError("all Bind plugins skipped the pod");
}

/** Tells the plugins that the pod was bound. */
export function runPostBind(call: PointCall, failed: OnFailure): void {
  const { info, node, profile, state } = call;
  runAll(call, "PostBind", profile.postBinds, (plugin) => {
    try {
      plugin.postBind(info, node, state);
    } catch (error) {
      failed(plugin, error);
    }
  });
}
