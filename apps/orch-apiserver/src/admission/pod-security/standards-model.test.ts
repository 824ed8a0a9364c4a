import type { core } from "@orchernetes/api";
import { seededNumbers } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import type { PodLike } from "./controls/control.ts";
import { violationsOf } from "./standards.ts";

const random = seededNumbers(27);
const one = <T>(...from: readonly T[]): T => from[random(from.length)] as T;
const maybe = <T>(share: number, make: () => T): T | undefined => (random(share) === 0 ? make() : undefined);
const some = <T>(...from: readonly T[]): T[] => from.filter(() => random(4) === 0);

const capabilities = ["ALL", "CHOWN", "NET_ADMIN", "NET_BIND_SERVICE", "SYS_TIME"] as const;
const context = (ofPod: boolean): object => ({
  runAsNonRoot: one(undefined, true, true, false),
  runAsUser: one(undefined, undefined, 0, 1000),
  seccompProfile: maybe(2, () => ({ type: one("RuntimeDefault", "Localhost", "Unconfined") })),
  seLinuxOptions: maybe(4, () => ({
    type: one("", "container_t", "spc_t"),
    user: one("", "", "u"),
    role: one("", "", "r"),
  })),
  windowsOptions: maybe(6, () => ({ hostProcess: one(true, false) })),
  ...(ofPod
    ? {
        sysctls: some("kernel.shm_rmid_forced", "kernel.msgmax", "net.ipv4.ip_local_reserved_ports").map((name) => ({
          name,
          value: "1",
        })),
      }
    : {
        allowPrivilegeEscalation: one(undefined, true, false, false),
        privileged: one(undefined, false, false, true),
        procMount: one(undefined, "Default", "Default", "Unmasked"),
        capabilities: maybe(2, () => ({
          add: some(...capabilities),
          drop: random(2) === 0 ? ["ALL"] : some(...capabilities),
        })),
      }),
});
const container = (name: string) => ({
  name,
  image: "i",
  securityContext: maybe(1 + random(2), () => context(false)),
  ports: maybe(3, () => [{ containerPort: 80, hostPort: one(undefined, 0, 80) }]),
});
const apparmor = "container.apparmor.security.beta.orchernetes.io/a";
const seccomp = "seccomp.security.alpha.orchernetes.io/pod";

function randomPod(): PodLike {
  return JSON.parse(
    JSON.stringify({
      metadata: {
        annotations: {
          [apparmor]: one("runtime/default", "localhost/x", "", "unconfined"),
          [seccomp]: one("runtime/default", "docker/default", "localhost/x", "unconfined"),
        },
      },
      spec: {
        os: maybe(5, () => ({ name: one("windows", "linux") })),
        hostNetwork: maybe(8, () => true),
        hostPID: maybe(8, () => true),
        hostIPC: maybe(8, () => true),
        securityContext: maybe(1 + random(2), () => context(true)),
        containers: [container("a")],
        initContainers: maybe(4, () => [container("b")]),
        ephemeralContainers: maybe(4, () => [container("c")]),
        volumes: some({ hostPath: { path: "/" } }, { emptyDir: {} }, { nfs: {} }, { csi: {} }, { secret: {} }).map(
          (source, n) => ({ name: `v${n}`, ...source }),
        ),
      },
    }),
  );
}

/** The reasons for which the Pod Security Standards, as they are published, forbid a pod. */
function forbidden(level: "baseline" | "restricted", minor: number, { metadata, spec }: PodLike): readonly string[] {
  const all = [
    ...(spec.initContainers ?? []),
    ...spec.containers,
    ...(spec.ephemeralContainers ?? []),
  ] as core.Container[];
  const contexts = all.map(({ securityContext }) => securityContext ?? {});
  const own = spec.securityContext ?? {};
  const both = [own, ...contexts];
  const restricted = level === "restricted";
  const posix = !(minor >= 25 && spec.os?.name === "windows");
  const inSet = (set: readonly (string | undefined)[], value: string | undefined) => set.includes(value);
  const annotation = (key: string) => metadata.annotations?.[key] ?? "";
  const safe = ["kernel.shm_rmid_forced", ...(minor >= 27 ? ["net.ipv4.ip_local_reserved_ports"] : [])];
  const added = contexts.flatMap(({ capabilities: change }) => change?.add ?? []);
  const seccompTypes = both.map(({ seccompProfile }) => seccompProfile?.type);
  const reasons: Readonly<Record<string, boolean>> = {
    "forbidden AppArmor profile": annotation(apparmor) === "unconfined",
    "non-default capabilities":
      !(restricted && minor >= 22) && added.some((each) => !["CHOWN", "NET_BIND_SERVICE"].includes(each)),
    "host namespaces": spec.hostNetwork === true || spec.hostPID === true || spec.hostIPC === true,
    "hostPath volumes": !restricted && (spec.volumes ?? []).some(({ hostPath }) => hostPath),
    hostPort: all.some(({ ports = [] }) => ports.some(({ hostPort }) => hostPort)),
    privileged: contexts.some(({ privileged }) => privileged),
    procMount: contexts.some(({ procMount }) => !inSet([undefined, "Default"], procMount)),
    seLinuxOptions: both.some(
      ({ seLinuxOptions: s }) => s && (!inSet(["", undefined, "container_t"], s.type) || s.user || s.role),
    ),
    seccompProfile:
      minor < 19
        ? annotation(seccomp) === "unconfined"
        : restricted
          ? posix &&
            (seccompTypes.includes("Unconfined") ||
              (own.seccompProfile === undefined && contexts.some(({ seccompProfile }) => !seccompProfile)))
          : seccompTypes.includes("Unconfined"),
    "forbidden sysctls": (own.sysctls ?? []).some(({ name }) => !safe.includes(name)),
    hostProcess: both.some(({ windowsOptions }) => windowsOptions?.hostProcess),
    "allowPrivilegeEscalation != false":
      restricted && minor >= 8 && posix && contexts.some((each) => each.allowPrivilegeEscalation !== false),
    "unrestricted capabilities":
      restricted &&
      minor >= 22 &&
      posix &&
      (added.some((each) => each !== "NET_BIND_SERVICE") ||
        contexts.some(({ capabilities: change }) => !change?.drop?.includes("ALL"))),
    "restricted volume types": restricted && (spec.volumes ?? []).some(({ hostPath, nfs }) => hostPath || nfs),
    "runAsNonRoot != true":
      restricted &&
      (both.some(({ runAsNonRoot }) => runAsNonRoot === false) ||
        (own.runAsNonRoot !== true && contexts.some(({ runAsNonRoot }) => runAsNonRoot === undefined))),
    "runAsUser=0": restricted && minor >= 23 && both.some(({ runAsUser }) => runAsUser === 0),
  };
  return Object.keys(reasons).filter((reason) => reasons[reason]);
}

test("10,000 random pods break the controls that the published standards say, at every version", () => {
  let clean = 0;
  for (let i = 0; i < 10_000; i++) {
    const pod = randomPod();
    const level = one("baseline", "restricted");
    const minor = one(0, 7, 8, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28);
    const want = [...forbidden(level, minor, pod)].sort();
    const found = violationsOf({ level, version: minor }, pod)
      .map(({ reason }) => reason)
      .sort();
    if (want.length === 0) clean++;
    if (JSON.stringify(found) !== JSON.stringify(want)) expect({ level, minor, pod, found }).toEqual(want);
    expect(violationsOf({ level: "privileged", version: minor }, pod)).toEqual([]);
  }
  expect(clean).toBeGreaterThan(20);
});
