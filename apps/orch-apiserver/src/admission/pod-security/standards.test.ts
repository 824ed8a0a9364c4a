import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import type { LevelVersion, Version } from "./policy.ts";
import { controls, detailsText, reasonsText, violationsOf } from "./standards.ts";

type Context = Readonly<Record<string, unknown>>;
const container = (name: string, securityContext?: Context, more: object = {}) => ({ name, securityContext, ...more });
const pod = (spec: object, annotations?: Readonly<Record<string, string>>) => ({
  metadata: { annotations },
  spec: { containers: [], ...spec } as unknown as core.PodSpec,
});
const containers = (...contexts: readonly Context[]) =>
  pod({ containers: contexts.map((context, index) => container("abc"[index] ?? "", context)) });
const appArmor = "container.apparmor.security.beta.orchernetes.io/a";
const seccomp = "seccomp.security.alpha.orchernetes.io/pod";
const seccompOfA = "container.seccomp.security.alpha.orchernetes.io/a";
const windows = { os: { name: "windows" } };

/** A control at a version, a pod, and the violation as `reason (detail)`; undefined: there is none. */
type Row = readonly [id: string, minor: number, pod: ReturnType<typeof pod>, want: string | undefined];

const baseline: readonly Row[] = [
  ["privileged", 0, containers({ privileged: false }, {}), undefined],
  ["hostPathVolumes", 0, pod({ volumes: [{ name: "a", emptyDir: {} }] }), undefined],
  [
    "appArmorProfile",
    0,
    pod({}, { [appArmor]: "unconfined" }),
    `forbidden AppArmor profile (${appArmor}="unconfined")`,
  ],
  [
    "appArmorProfile",
    0,
    pod({}, { [`${appArmor}2`]: "x", [appArmor]: "y" }),
    `forbidden AppArmor profiles (${appArmor}2="x", ${appArmor}="y")`,
  ],
  [
    "appArmorProfile",
    27,
    pod({}, { [appArmor]: "runtime/default", [`${appArmor}2`]: "localhost/x", other: "z" }),
    undefined,
  ],
  ["appArmorProfile", 27, pod({}, { [appArmor]: "" }), undefined],
  ["capabilities_baseline", 0, containers({ capabilities: { add: ["CHOWN", "SYS_CHROOT"] } }), undefined],
  [
    "capabilities_baseline",
    0,
    containers({ capabilities: { add: ["NET_RAW", "CHOWN"] } }, { capabilities: { add: ["BPF", "NET_RAW"] } }, {}),
    'non-default capabilities (containers "a", "b" must not include "BPF", "NET_RAW" in securityContext.capabilities.add)',
  ],
  [
    "hostNamespaces",
    0,
    pod({ hostNetwork: true, hostPID: true, hostIPC: true }),
    "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)",
  ],
  ["hostNamespaces", 0, pod({ hostNetwork: false, hostPID: true }), "host namespaces (hostPID=true)"],
  ["hostNamespaces", 0, pod({ hostIPC: false }), undefined],
  [
    "hostPathVolumes",
    0,
    pod({
      volumes: [
        { name: "a", hostPath: {} },
        { name: "b", emptyDir: {} },
      ],
    }),
    'hostPath volumes (volume "a")',
  ],
  [
    "hostPathVolumes",
    0,
    pod({
      volumes: [
        { name: "a", hostPath: {} },
        { name: "b", hostPath: {} },
      ],
    }),
    'hostPath volumes (volumes "a", "b")',
  ],
  [
    "hostPorts",
    0,
    pod({ containers: [container("a", undefined, { ports: [{ hostPort: 12 }] })] }),
    'hostPort (container "a" uses hostPort 12)',
  ],
  [
    "hostPorts",
    0,
    pod({
      initContainers: [container("i", undefined, { ports: [{ hostPort: 9 }] })],
      containers: [container("a", undefined, { ports: [{ hostPort: 12 }, { hostPort: 0 }, {}] })],
    }),
    'hostPort (containers "i", "a" use hostPorts 12, 9)',
  ],
  ["hostPorts", 0, pod({ containers: [container("a", undefined, { ports: [{ containerPort: 1 }] })] }), undefined],
  [
    "privileged",
    0,
    containers({ privileged: true }),
    'privileged (container "a" must not set securityContext.privileged=true)',
  ],
  [
    "privileged",
    0,
    pod({
      initContainers: [container("i", { privileged: true })],
      containers: [container("c", { privileged: false })],
      ephemeralContainers: [container("e", { privileged: true })],
    }),
    'privileged (containers "i", "e" must not set securityContext.privileged=true)',
  ],
  [
    "procMount",
    0,
    containers({ procMount: "Unmasked" }),
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ],
  ["procMount", 0, containers({ procMount: "Default" }, {}), undefined],
  [
    "seLinuxOptions",
    0,
    pod({
      securityContext: { seLinuxOptions: { type: "bar", user: "u" } },
      containers: [
        container("a", { seLinuxOptions: { type: "foo", role: "r" } }),
        container("b", { seLinuxOptions: { type: "container_t" } }),
      ],
    }),
    'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: types "bar", "foo"; user may not be set; role may not be set)',
  ],
  [
    "seLinuxOptions",
    0,
    containers({ seLinuxOptions: { type: "x" } }),
    'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: type "x")',
  ],
  [
    "seLinuxOptions",
    0,
    containers({ seLinuxOptions: { type: "container_kvm_t", level: "l" } }, { seLinuxOptions: {} }),
    undefined,
  ],
  [
    "seccompProfile_baseline",
    18,
    pod({ containers: [container("a")] }, { [seccomp]: "unconfined", [seccompOfA]: "x" }),
    `seccompProfile (forbidden annotations ${seccompOfA}="x", ${seccomp}="unconfined")`,
  ],
  [
    "seccompProfile_baseline",
    0,
    pod({ containers: [container("a")] }, { [seccomp]: "runtime/default", [seccompOfA]: "localhost/x" }),
    undefined,
  ],
  ["seccompProfile_baseline", 18, containers({ seccompProfile: { type: "Unconfined" } }), undefined],
  ["seccompProfile_baseline", 19, pod({}, { [seccomp]: "unconfined" }), undefined],
  [
    "seccompProfile_baseline",
    19,
    pod({
      securityContext: { seccompProfile: { type: "Unconfined" } },
      containers: [container("a", { seccompProfile: { type: "Unconfined" } }), container("b")],
    }),
    'seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  ["seccompProfile_baseline", 27, containers({ seccompProfile: { type: "Localhost" } }, {}), undefined],
  [
    "sysctls",
    26,
    pod({ securityContext: { sysctls: [{ name: "a" }, { name: "net.ipv4.ip_local_reserved_ports" }] } }),
    "forbidden sysctls (a, net.ipv4.ip_local_reserved_ports)",
  ],
  ["sysctls", 27, pod({ securityContext: { sysctls: [{ name: "net.ipv4.ip_local_reserved_ports" }] } }), undefined],
  [
    "sysctls",
    0,
    pod({ securityContext: { sysctls: [{ name: "kernel.shm_rmid_forced" }, { name: "net.ipv4.tcp_syncookies" }] } }),
    undefined,
  ],
  [
    "windowsHostProcess",
    0,
    pod({
      securityContext: { windowsOptions: { hostProcess: true } },
      containers: [container("a", { windowsOptions: { hostProcess: true } })],
    }),
    'hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
  ["windowsHostProcess", 0, containers({ windowsOptions: { hostProcess: false } }), undefined],
];

const restricted: readonly Row[] = [
  [
    "allowPrivilegeEscalation",
    8,
    containers({ allowPrivilegeEscalation: true }, {}, { allowPrivilegeEscalation: false }),
    'allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false)',
  ],
  ["allowPrivilegeEscalation", 7, containers({}), undefined],
  [
    "allowPrivilegeEscalation",
    24,
    pod({ ...windows, containers: [container("a")] }),
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
  ],
  ["allowPrivilegeEscalation", 25, pod({ ...windows, containers: [container("a")] }), undefined],
  ["capabilities_restricted", 21, containers({}), undefined],
  [
    "capabilities_restricted",
    22,
    containers({}, { capabilities: { drop: ["ALL"], add: ["CHOWN", "NET_BIND_SERVICE"] } }),
    'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "b" must not include "CHOWN" in securityContext.capabilities.add)',
  ],
  [
    "capabilities_restricted",
    22,
    containers({ capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }),
    undefined,
  ],
  ["capabilities_restricted", 25, pod({ ...windows, containers: [container("a")] }), undefined],
  [
    "restrictedVolumes",
    0,
    pod({
      volumes: [
        { name: "a", hostPath: {} },
        { name: "b", nfs: {} },
        { name: "c", secret: {} },
      ],
    }),
    'restricted volume types (volumes "a", "b" use restricted volume types "hostPath", "nfs")',
  ],
  [
    "restrictedVolumes",
    0,
    pod({ volumes: [{ name: "a" }] }),
    'restricted volume types (volume "a" uses restricted volume type "unknown")',
  ],
  [
    "restrictedVolumes",
    27,
    pod({
      volumes: [
        { name: "a", csi: {} },
        { name: "b", ephemeral: {} },
        { name: "c", projected: {} },
      ],
    }),
    undefined,
  ],
  [
    "runAsNonRoot",
    0,
    containers({}, { runAsNonRoot: true }),
    'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
  ],
  [
    "runAsNonRoot",
    0,
    pod({ securityContext: { runAsNonRoot: false }, containers: [container("a", { runAsNonRoot: false })] }),
    'runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false)',
  ],
  ["runAsNonRoot", 0, pod({ securityContext: { runAsNonRoot: true }, containers: [container("a")] }), undefined],
  ["runAsUser", 22, pod({ securityContext: { runAsUser: 0 } }), undefined],
  [
    "runAsUser",
    23,
    pod({ securityContext: { runAsUser: 0 }, containers: [container("a", { runAsUser: 0 })] }),
    'runAsUser=0 (pod and container "a" must not set runAsUser=0)',
  ],
  ["runAsUser", 23, containers({ runAsUser: 1 }), undefined],
  [
    "seccompProfile_restricted",
    19,
    containers({ seccompProfile: { type: "RuntimeDefault" } }, {}),
    'seccompProfile (pod or container "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    "seccompProfile_restricted",
    19,
    containers({ seccompProfile: { type: "Unconfined" } }, {}),
    'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    "seccompProfile_restricted",
    27,
    pod({ securityContext: { seccompProfile: { type: "Localhost" } }, containers: [container("a")] }),
    undefined,
  ],
  ["seccompProfile_restricted", 18, containers({}), undefined],
  ["seccompProfile_restricted", 25, pod({ ...windows, containers: [container("a")] }), undefined],
];

const rows = [...baseline, ...restricted].map(([id, minor, what, want]) => ({ id, minor, what, want }));

test.each(rows)("$id at v1.$minor: $want", ({ id, minor, what, want }) => {
  const control = controls.find((one) => one.id === id);
  const check = control?.versions.findLast(({ since }) => since <= minor)?.check;
  const violation = check?.(what);
  expect(violation && `${violation.reason} (${violation.detail})`).toBe(want);
});

test("every control has rows that forbid and rows that do not", () => {
  const which = (forbidding: boolean) =>
    new Set(rows.filter(({ want }) => (want !== undefined) === forbidding).map(({ id }) => id));
  expect([...which(true)].sort()).toEqual(controls.map(({ id }) => id).sort());
  expect([...which(false)].sort()).toEqual(controls.map(({ id }) => id).sort());
});

test("controls are in the order of their ids, baseline first", () => {
  const idsOf = (level: string) => controls.filter((control) => control.level === level).map(({ id }) => id);
  expect([...idsOf("baseline").sort(), ...idsOf("restricted").sort()]).toEqual(controls.map(({ id }) => id));
});

const all = pod({
  hostNetwork: true,
  securityContext: { seccompProfile: { type: "Unconfined" } },
  volumes: [{ name: "v", hostPath: {} }],
  containers: [container("a", { privileged: true, capabilities: { add: ["NET_RAW"] } })],
});
const baselineReasons = "host namespaces, hostPath volumes, privileged";
const from8 = "allowPrivilegeEscalation != false";
const common = "restricted volume types, runAsNonRoot != true";

test.each<[LevelVersion["level"], Version, string]>([
  ["privileged", "latest", ""],
  ["baseline", 0, `non-default capabilities, ${baselineReasons}`],
  ["baseline", 19, `non-default capabilities, ${baselineReasons}, seccompProfile`],
  ["baseline", "latest", `non-default capabilities, ${baselineReasons}, seccompProfile`],
  ["restricted", 0, `non-default capabilities, host namespaces, privileged, ${common}`],
  ["restricted", 8, `non-default capabilities, host namespaces, privileged, ${from8}, ${common}`],
  ["restricted", 22, `host namespaces, privileged, ${from8}, unrestricted capabilities, ${common}, seccompProfile`],
  ["restricted", 27, `host namespaces, privileged, ${from8}, unrestricted capabilities, ${common}, seccompProfile`],
  ["restricted", 99, `host namespaces, privileged, ${from8}, unrestricted capabilities, ${common}, seccompProfile`],
  [
    "restricted",
    "latest",
    `host namespaces, privileged, ${from8}, unrestricted capabilities, ${common}, seccompProfile`,
  ],
])("%s at %s forbids: %s", (level, version, want) => {
  expect(reasonsText(violationsOf({ level, version }, all))).toBe(want);
});

test("details follow their reasons", () => {
  expect(detailsText(violationsOf({ level: "baseline", version: 27 }, pod({ hostPID: true })))).toBe(
    "host namespaces (hostPID=true)",
  );
});
