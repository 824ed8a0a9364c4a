import { type Control, containersText, containersThat, type PodLike, quoted, sorted } from "./control.ts";

const allowed: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

function check({ spec }: PodLike) {
  const added: string[] = [];
  const bad = containersThat(spec, ({ securityContext }) => {
    const wrong = (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability));
    added.push(...wrong);
    return wrong.length > 0;
  });
  if (bad.length === 0) return undefined;
  return {
    reason: "non-default capabilities",
    detail: `${containersText(bad)} must not include ${quoted(sorted(added))} in securityContext.capabilities.add`,
  };
}

/** Containers add no capabilities but those that a runtime gives by default. */
export const capabilitiesBaseline: Control = {
  id: "capabilities_baseline",
  level: "baseline",
  versions: [{ since: 0, check }],
};
