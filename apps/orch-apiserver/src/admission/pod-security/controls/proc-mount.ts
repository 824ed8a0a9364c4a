import { type Control, containersText, containersThat, type PodLike, quoted, sorted } from "./control.ts";

function check({ spec }: PodLike) {
  const types: string[] = [];
  const bad = containersThat(spec, ({ securityContext }) => {
    const type = securityContext?.procMount;
    if (type === undefined || type === "Default") return false;
    types.push(type);
    return true;
  });
  if (bad.length === 0) return undefined;
  return {
    reason: "procMount",
    detail: `${containersText(bad)} must not set securityContext.procMount to ${quoted(sorted(types))}`,
  };
}

/** Runtimes mask parts of /proc. */
export const procMount: Control = { id: "procMount", level: "baseline", versions: [{ since: 0, check }] };
