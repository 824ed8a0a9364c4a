import { type Control, containersText, containersThat, type PodLike } from "./control.ts";

function check({ spec }: PodLike) {
  const bad = containersThat(spec, ({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: "privileged", detail: `${containersText(bad)} must not set securityContext.privileged=true` };
}

/** No container is privileged. */
export const privileged: Control = { id: "privileged", level: "baseline", versions: [{ since: 0, check }] };
