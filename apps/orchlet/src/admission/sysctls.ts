import type { core } from "@orchernetes/api";
import type { Refusal } from "../types/pod-failure.ts";

/** The namespace that isolates a sysctl. */
type Namespace = "IPC" | "Net";

/** Safe sysctls, which are namespaced and cannot affect other pods, with the first kernel that has them. */
const safeSysctls: readonly (readonly [name: string, kernel?: readonly [major: number, minor: number]])[] = [
  ["kernel.shm_rmid_forced"],
  ["net.ipv4.ip_local_port_range"],
  ["net.ipv4.tcp_syncookies"],
  ["net.ipv4.ping_group_range"],
  ["net.ipv4.ip_unprivileged_port_start"],
  ["net.ipv4.ip_local_reserved_ports", [3, 16]],
];

const maxLength = 253;
const segment = "[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?";
const pattern = new RegExp(`^(?:${segment}[./])*(?:[a-z0-9][-_a-z0-9]*)?[a-z0-9*]$`);

/** The name of a sysctl with dots as separators; in a name with slashes, dots and slashes are swapped. */
export function dottedSysctl(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  if (separator !== "/") return name;
  return name.replaceAll(/[./]/g, (found) => (found === "/" ? "." : "/"));
}

function namespaceOf(name: string): Namespace | undefined {
  if (name === "kernel.sem" || ["kernel.shm", "kernel.msg", "fs.mqueue."].some((prefix) => name.startsWith(prefix)))
    return "IPC";
  return name.startsWith("net.") ? "Net" : undefined;
}

/** The error in an entry of `--allowed-unsafe-sysctls`, without the name of the field; undefined if it is valid. */
export function sysctlPatternError(entry: string): string | undefined {
  if (entry.length > maxLength || !pattern.test(entry))
    return `invalid value ${JSON.stringify(entry)}; want the name of a kernel setting, or a prefix of names that ends in *, such as kernel.msg*`;
  if (namespaceOf(dottedSysctl(entry).replace(/\*$/, "")) === undefined)
    return `invalid value ${JSON.stringify(entry)}; want a kernel setting of its own for each pod: kernel.sem, kernel.shm*, kernel.msg*, fs.mqueue.* or net.*`;
  return undefined;
}

/**
 * Checks the sysctls of pods against the safe ones and those that the node's administrator allows.
 *
 * @param allowed entries of `--allowed-unsafe-sysctls`
 * @param kernelVersion such as `5.10.0-8-amd64`
 */
export function createSysctlPolicy(
  allowed: readonly string[],
  kernelVersion: string,
): (pod: core.Pod) => Refusal | undefined {
  const entries = [
    ...safeSysctls.filter(([, kernel]) => isAtLeast(kernelVersion, kernel)).map(([name]) => name),
    ...allowed.map(dottedSysctl),
  ];
  const names = new Set(entries.filter((entry) => !entry.endsWith("*")));
  const prefixes = entries.filter((entry) => entry.endsWith("*")).map((entry) => entry.slice(0, -1));

  const errorOf = (given: string, spec: core.PodSpec): string | undefined => {
    const name = dottedSysctl(given);
    if (!names.has(name) && !prefixes.some((prefix) => name.startsWith(prefix)))
      return `${JSON.stringify(name)} not allowlisted`;
    const namespace = namespaceOf(name);
    if ((namespace === "IPC" && spec.hostIPC) || (namespace === "Net" && spec.hostNetwork))
      return `${JSON.stringify(name)} not allowed with host ${namespace} enabled`;
    return undefined;
  };

  return ({ spec }) => {
    for (const { name } of spec.securityContext?.sysctls ?? []) {
      const error = errorOf(name, spec);
      if (error !== undefined)
        return { reason: "SysctlForbidden", message: `forbidden sysctl: ${error}`, dependsOnNode: false };
    }
    return undefined;
  };
}

function isAtLeast(version: string, least: readonly [number, number] | undefined): boolean {
  if (least === undefined) return true;
  const [, major = "0", minor = "0"] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > least[0] || (Number(major) === least[0] && Number(minor) >= least[1]);
}
