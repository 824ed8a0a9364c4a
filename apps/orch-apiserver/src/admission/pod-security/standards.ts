import { allowPrivilegeEscalation } from "./controls/allow-privilege-escalation.ts";
import { appArmorProfile } from "./controls/app-armor-profile.ts";
import { capabilitiesBaseline } from "./controls/capabilities-baseline.ts";
import { capabilitiesRestricted } from "./controls/capabilities-restricted.ts";
import type { Control, ControlVersion, PodLike, Violation } from "./controls/control.ts";
import { hostNamespaces } from "./controls/host-namespaces.ts";
import { hostPathVolumes } from "./controls/host-path-volumes.ts";
import { hostPorts } from "./controls/host-ports.ts";
import { privileged } from "./controls/privileged.ts";
import { procMount } from "./controls/proc-mount.ts";
import { restrictedVolumes } from "./controls/restricted-volumes.ts";
import { runAsNonRoot } from "./controls/run-as-non-root.ts";
import { runAsUser } from "./controls/run-as-user.ts";
import { seLinuxOptions } from "./controls/se-linux-options.ts";
import { seccompProfileBaseline, seccompProfileRestricted } from "./controls/seccomp-profile.ts";
import { sysctls } from "./controls/sysctls.ts";
import { windowsHostProcess } from "./controls/windows-host-process.ts";
import type { LevelVersion } from "./policy.ts";

/** Every control in the order of messages: those of baseline first, both by their ids. */
export const controls: readonly Control[] = [
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  privileged,
  procMount,
  seLinuxOptions,
  seccompProfileBaseline,
  sysctls,
  windowsHostProcess,
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompProfileRestricted,
];

/** The newest version in which a control changes: later ones are as this one. */
const newest = Math.max(...controls.flatMap(({ versions }) => versions.map(({ since }) => since)));

const checkAt = ({ versions }: Control, minor: number): ControlVersion["check"] | undefined =>
  versions.findLast(({ since }) => since <= minor)?.check;

/** The checks of a level, for a minor version. */
function checksOf(level: "baseline" | "restricted", minor: number): readonly ControlVersion["check"][] {
  const active = controls.filter(
    (control) => (level === "restricted" || control.level === "baseline") && checkAt(control, minor) !== undefined,
  );
  const replaced = new Set(active.map(({ replaces }) => replaces));
  return active.filter(({ id }) => !replaced.has(id)).flatMap((control) => checkAt(control, minor) ?? []);
}

const minors = Array.from({ length: newest + 1 }, (_, minor) => minor);
const checks = {
  baseline: minors.map((minor) => checksOf("baseline", minor)),
  restricted: minors.map((minor) => checksOf("restricted", minor)),
};

/** What a level at a version forbids of a pod; empty if nothing. */
export function violationsOf({ level, version }: LevelVersion, pod: PodLike): readonly Violation[] {
  if (level === "privileged") return [];
  const minor = version === "latest" ? newest : Math.min(version, newest);
  return (checks[level][minor] ?? []).flatMap((check) => check(pod) ?? []);
}

/** `host namespaces, privileged`. */
export const reasonsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");

/** `host namespaces (hostNetwork=true), privileged (container "a" must not …)`. */
export const detailsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
