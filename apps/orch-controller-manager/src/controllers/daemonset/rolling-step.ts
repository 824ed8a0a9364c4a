import { isPodAvailable } from "@orchernetes/component-helpers";
import { resolveIntOrPercent } from "../deployment/limits.ts";
import { isUpdated, type Pod } from "./daemon-pod.ts";
import { nodeFit } from "./node-fit.ts";
import type { DaemonSetState } from "./reconcile.ts";

/** The next step of a rolling update. */
export interface RollingStep {
  /** Nodes that get a second pod (`maxSurge`). */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

const nothing: RollingStep = { create: [], delete: [] };

/**
 * Selects the pods of an old template that may be replaced now, so that at most `maxUnavailable` pods are unavailable
 * or, with
 * `maxSurge`, at most that many nodes have two pods. Old pods that are unavailable are replaced regardless.
 */
export function rollingStep(
  state: DaemonSetState,
  groups: ReadonlyMap<string, readonly Pod[]>,
  now: Date,
): RollingStep {
  const { set, nodes, hash } = state;
  const { type = "RollingUpdate", rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type !== "RollingUpdate") return nothing;
  const wanted = nodes.filter((node) => nodeFit(set.spec.template.spec, node).shouldRun);
  const maxSurge = resolveIntOrPercent(rollingUpdate?.maxSurge ?? 0, wanted.length, Math.ceil);
  const unavailable = resolveIntOrPercent(rollingUpdate?.maxUnavailable ?? 1, wanted.length, Math.ceil);
  const maxUnavailable = maxSurge === 0 ? Math.max(1, unavailable) : unavailable;
  const isAvailable = (pod: Pod): boolean => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now.getTime());

  const replaceable: Pod[] = [];
  const candidates: Pod[] = [];
  const done: Pod[] = [];
  const freshAtOnce: string[] = [];
  const freshCandidates: string[] = [];
  let missing = 0;
  let doubled = 0;
  for (const { metadata } of wanted) {
    const present = (groups.get(metadata.name) ?? []).filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const fresh = present.find((pod) => isUpdated(pod, set, hash));
    const old = present.find((pod) => !isUpdated(pod, set, hash));
    if (maxSurge > 0) {
      if (old === undefined) continue;
      if (fresh !== undefined) {
        doubled += 1;
        if (isAvailable(fresh)) done.push(old);
      } else if (isAvailable(old)) freshCandidates.push(metadata.name);
      else freshAtOnce.push(metadata.name);
      continue;
    }
    if (old === undefined || fresh !== undefined) {
      if (fresh === undefined || old !== undefined || !isAvailable(fresh)) missing += 1;
    } else if (isAvailable(old)) candidates.push(old);
    else {
      missing += 1;
      replaceable.push(old);
    }
  }
  if (maxSurge > 0) {
    const room = Math.max(0, maxSurge - doubled);
    return { create: [...freshAtOnce, ...freshCandidates].slice(0, Math.max(room, freshAtOnce.length)), delete: done };
  }
  return { create: [], delete: [...replaceable, ...candidates.slice(0, Math.max(0, maxUnavailable - missing))] };
}
