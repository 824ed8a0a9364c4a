import { type Control, containersText, containersThat, type PodLike, plural, sorted } from "./control.ts";

function check({ spec }: PodLike) {
  const used: string[] = [];
  const bad = containersThat(spec, ({ ports = [] }) => {
    const own = ports.flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
    used.push(...own);
    return own.length > 0;
  });
  if (bad.length === 0) return undefined;
  const ports = sorted(used);
  const word = plural("hostPort", "hostPorts", ports.length);
  return {
    reason: "hostPort",
    detail: `${containersText(bad)} ${plural("uses", "use", bad.length)} ${word} ${ports.join(", ")}`,
  };
}

/** Containers listen on no ports of their node. */
export const hostPorts: Control = { id: "hostPorts", level: "baseline", versions: [{ since: 0, check }] };
