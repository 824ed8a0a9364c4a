import { type Control, type PodLike, plural, quoted } from "./control.ts";

function check({ spec }: PodLike) {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (bad.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural("volume", "volumes", bad.length)} ${quoted(bad)}` };
}

/** Pods mount no paths of their node. */
export const hostPathVolumes: Control = { id: "hostPathVolumes", level: "baseline", versions: [{ since: 0, check }] };
