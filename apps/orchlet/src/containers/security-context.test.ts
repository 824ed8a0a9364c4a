import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { ContainerStartError } from "../types/start-error.ts";
import { namespacesOf, securityContextOf, supplementalGroupsOf } from "./security-context.ts";

interface ImageUser {
  readonly uid?: number;
  readonly username: string;
}
const noUser: ImageUser = { username: "" };

function contextOf(ofContainer: object, ofPod: object = {}, imageUser = noUser) {
  const pod = testPod({
    securityContext: ofPod,
    containers: [{ name: "c", image: "i", securityContext: ofContainer }],
  });
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error("the test pod has no container");
  const options = { seccompDefault: false, seccompDir: "/seccomp", imageUser, podText: "web_default(u1)" };
  return securityContextOf(pod, container, options);
}

test.each([
  ["a private one by default", {}, undefined, "CONTAINER"],
  ["the host's", { hostPID: true }, undefined, "NODE"],
  ["the pod's", { shareProcessNamespace: true }, undefined, "POD"],
  ["the target's, for an ephemeral container", {}, "t", "TARGET"],
  ["the pod's, even with a target", { shareProcessNamespace: true }, "t", "POD"],
  ["the host's, even with a target", { hostPID: true }, "t", "NODE"],
])("process namespace: %s", (_, spec, targetId, pid) => {
  const options = namespacesOf(testPod(spec).spec, targetId);
  expect(options).toEqual({ network: "POD", ipc: "POD", pid, ...(pid === "TARGET" ? { targetId } : {}) });
});

test("network and IPC namespaces are the host's only if the pod requests it", () => {
  expect(namespacesOf(testPod({ hostNetwork: true }).spec)).toMatchObject({ network: "NODE", ipc: "POD" });
  expect(namespacesOf(testPod({ hostIPC: true }).spec)).toMatchObject({ network: "POD", ipc: "NODE" });
});

test.each([
  ["the container's before the pod's", { runAsUser: 5 }, { runAsUser: 6 }, { uid: 7, username: "" }, { runAsUser: 5 }],
  ["the pod's before the image's", {}, { runAsUser: 6 }, { uid: 7, username: "" }, { runAsUser: 6 }],
  ["0 is a user", { runAsUser: 0 }, { runAsUser: 6 }, noUser, { runAsUser: 0 }],
  ["the image's number", {}, {}, { uid: 7, username: "" }, { runAsUser: 7 }],
  ["the image's name", {}, {}, { username: "app" }, { runAsUsername: "app" }],
  ["none", {}, {}, noUser, {}],
  ["a group alone needs a user", { runAsGroup: 9 }, {}, noUser, { runAsUser: 0, runAsGroup: 9 }],
  [
    "the container's group before the pod's",
    { runAsGroup: 9 },
    { runAsGroup: 8, runAsUser: 1 },
    noUser,
    { runAsUser: 1, runAsGroup: 9 },
  ],
])("user of a container: %s", (_, ofContainer, ofPod, imageUser: ImageUser, want) => {
  const { runAsUser, runAsUsername, runAsGroup } = contextOf(ofContainer, ofPod, imageUser);
  expect({ runAsUser, runAsUsername, runAsGroup }).toEqual({
    runAsUser: undefined,
    runAsUsername: undefined,
    runAsGroup: undefined,
    ...want,
  });
});

const where = '(pod: "web_default(u1)", container: c)';

test.each([
  [
    "runAsUser 0",
    { runAsNonRoot: true, runAsUser: 0 },
    {},
    noUser,
    `container's runAsUser breaks non-root policy ${where}`,
  ],
  [
    "runAsUser 0 of the pod",
    { runAsNonRoot: true },
    { runAsUser: 0 },
    { uid: 7, username: "" },
    `container's runAsUser breaks non-root policy ${where}`,
  ],
  [
    "an image of root",
    {},
    { runAsNonRoot: true },
    { uid: 0, username: "" },
    `container has runAsNonRoot and image will run as root ${where}`,
  ],
  [
    "an image without a user",
    {},
    { runAsNonRoot: true },
    noUser,
    `container has runAsNonRoot and image will run as root ${where}`,
  ],
  [
    "an image whose user is a name",
    {},
    { runAsNonRoot: true },
    { username: "app" },
    `container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root ${where}`,
  ],
])("runAsNonRoot rejects %s", (_, ofContainer, ofPod, imageUser: ImageUser, message) => {
  const run = () => contextOf(ofContainer, ofPod, imageUser);
  expect(run).toThrow(ContainerStartError);
  expect(run).toThrow(message);
});

test.each([
  ["a numeric user of the image", { runAsNonRoot: true }, {}, { uid: 7, username: "" }],
  ["a user that replaces the image's root", { runAsNonRoot: true, runAsUser: 5 }, {}, { uid: 0, username: "" }],
  ["root where the container overrides its pod", { runAsNonRoot: false, runAsUser: 0 }, { runAsNonRoot: true }, noUser],
])("runAsNonRoot accepts %s", (_, ofContainer, ofPod, imageUser: ImageUser) => {
  expect(() => contextOf(ofContainer, ofPod, imageUser)).not.toThrow();
});

test.each([
  [undefined, false],
  [true, false],
  [false, true],
])("allowPrivilegeEscalation %s means noNewPrivs %s", (allowPrivilegeEscalation, want) => {
  expect(contextOf({ allowPrivilegeEscalation }).noNewPrivs).toBe(want);
});

test("paths of /proc are masked unless the container is privileged or requests them", () => {
  expect(contextOf({}).maskedPaths).toContain("/proc/kcore");
  expect(contextOf({}).readonlyPaths).toContain("/proc/sys");
  for (const open of [{ privileged: true }, { procMount: "Unmasked" }]) {
    expect(contextOf(open)).not.toHaveProperty("maskedPaths");
    expect(contextOf(open)).not.toHaveProperty("readonlyPaths");
  }
});

test("capabilities and SELinux labels reach the runtime, and absent ones are not sent", () => {
  expect(contextOf({ capabilities: { add: ["NET_ADMIN"] } }).capabilities).toEqual({
    addCapabilities: ["NET_ADMIN"],
    dropCapabilities: [],
  });
  expect(contextOf({}, { seLinuxOptions: { level: "s0" } }).selinuxOptions).toEqual({ level: "s0" });
  expect(contextOf({ seLinuxOptions: { level: "s1" } }, { seLinuxOptions: { level: "s0" } }).selinuxOptions).toEqual({
    level: "s1",
  });
  expect(contextOf({})).not.toHaveProperty("capabilities");
  expect(contextOf({})).not.toHaveProperty("selinuxOptions");
});

test("the group of the volumes is a supplemental group, also when it is 0", () => {
  expect(supplementalGroupsOf(undefined)).toEqual([]);
  expect(supplementalGroupsOf({ supplementalGroups: [3, 4], fsGroup: 5 })).toEqual([3, 4, 5]);
  expect(supplementalGroupsOf({ fsGroup: 0 })).toEqual([0]);
});
