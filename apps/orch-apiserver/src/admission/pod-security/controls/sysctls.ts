import type { Control, ControlVersion } from "./control.ts";

const safe: readonly string[] = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];

const checkAgainst =
  (allowed: readonly string[]): ControlVersion["check"] =>
  ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name);
    const bad = names.filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
  };

/** Pods set kernel parameters only that concern nobody else. */
export const sysctls: Control = {
  id: "sysctls",
  level: "baseline",
  versions: [
    { since: 0, check: checkAgainst(safe) },
    { since: 27, check: checkAgainst([...safe, "net.ipv4.ip_local_reserved_ports"]) },
  ],
};
