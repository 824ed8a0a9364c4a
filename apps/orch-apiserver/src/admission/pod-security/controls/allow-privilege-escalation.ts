import { type Control, containersText, containersThat, exceptOnWindows, type PodLike } from "./control.ts";

function check({ spec }: PodLike) {
  const bad = containersThat(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

/** No process gains more privileges than its parent. */
export const allowPrivilegeEscalation: Control = {
  id: "allowPrivilegeEscalation",
  level: "restricted",
  versions: [
    { since: 8, check },
    { since: 25, check: exceptOnWindows(check) },
  ],
};
