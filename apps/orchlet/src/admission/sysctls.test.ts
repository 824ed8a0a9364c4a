import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { createSysctlPolicy, dottedSysctl, sysctlPatternError } from "./sysctls.ts";

const allowed = ["kernel.msg*", "net/core/somaxconn", "kernel.sem"];
const policy = createSysctlPolicy(allowed, "5.10.0-8-amd64");

// shows: allowedUnsafeSysctls
test.each([
  ["kernel.shm_rmid_forced", {}, undefined],
  ["net.ipv4.ip_local_port_range", {}, undefined],
  ["net.ipv4.ip_unprivileged_port_start", {}, undefined],
  ["net.ipv4.ip_local_reserved_ports", {}, undefined],
  ["kernel/shm_rmid_forced", {}, undefined],
  ["kernel.msgmax", {}, undefined],
  ["net.core.somaxconn", {}, undefined],
  ["kernel.shmmax", {}, 'forbidden sysctl: "kernel.shmmax" not allowlisted'],
  ["vm.swappiness", {}, 'forbidden sysctl: "vm.swappiness" not allowlisted'],
  [
    "net.ipv4.tcp_syncookies",
    { hostNetwork: true },
    'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
  ],
  [
    "kernel.shm_rmid_forced",
    { hostIPC: true },
    'forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host IPC enabled',
  ],
  ["kernel.msgmax", { hostIPC: true }, 'forbidden sysctl: "kernel.msgmax" not allowed with host IPC enabled'],
  ["net.core.somaxconn", { hostIPC: true }, undefined],
])("setting sysctl %s in a pod with %j", (name, spec, message) => {
  const refusal = policy(testPod({ ...spec, securityContext: { sysctls: [{ name, value: "1" }] } }));
  expect(refusal).toEqual(
    message === undefined ? undefined : { reason: "SysctlForbidden", message, dependsOnNode: false },
  );
});

test("a sysctl that the kernel does not have yet is not safe", () => {
  const pod = testPod({ securityContext: { sysctls: [{ name: "net.ipv4.ip_local_reserved_ports", value: "1" }] } });
  expect(createSysctlPolicy([], "3.10.0")(pod)?.reason).toBe("SysctlForbidden");
});

test.each([
  ["kernel.msg*", undefined],
  ["net.*", undefined],
  ["net/ipv4/conf/eth0.1/rp_filter", undefined],
  ["fs.mqueue.*", undefined],
  ["*", /want a kernel setting of its own for each pod/],
  ["vm.swappiness", /want a kernel setting of its own for each pod/],
  ["net.*.x", /want the name of a kernel setting/],
  ["Net.core", /want the name of a kernel setting/],
  ["", /want the name of a kernel setting/],
  [`net.${"a".repeat(300)}`, /want the name of a kernel setting/],
])("an agent with the allowed pattern %j", (entry, want) => {
  if (want === undefined) expect(sysctlPatternError(entry)).toBeUndefined();
  else expect(sysctlPatternError(entry)).toMatch(want);
});

test.each([
  ["net/ipv4/conf/eth0.1/rp_filter", "net.ipv4.conf.eth0/1.rp_filter"],
  ["net.ipv4.conf.eth0/1.rp_filter", "net.ipv4.conf.eth0/1.rp_filter"],
  ["kernel/sem", "kernel.sem"],
])("sysctl %s is %s with dots", (name, want) => {
  expect(dottedSysctl(name)).toBe(want);
});
