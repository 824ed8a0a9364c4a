import { expect, test } from "vitest";
import { context, create } from "../../../../test/support.ts";
import { pods } from "../pod.ts";

const pod = (windowsOptions: object, ofContainer?: object, spec: object = {}): unknown => ({
  metadata: { name: "p", namespace: "ns" },
  spec: {
    securityContext: { windowsOptions },
    containers: [
      { name: "c", image: "i", ...(ofContainer && { securityContext: { windowsOptions: ofContainer } }) },
      { name: "d", image: "i" },
    ],
    ...spec,
  },
});

test.each([
  ["ContainerUser", []],
  ["NT AUTHORITY\\SYSTEM", []],
  ["example.com\\admin", []],
  ["", ["runAsUserName cannot be an empty string"]],
  ["a\u0007", ["runAsUserName cannot contain control characters"]],
  ["a\\b\\c", ["runAsUserName cannot contain more than one backslash"]],
  ["a\\", ["runAsUserName's User cannot be empty"]],
  [".a*\\b", ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]],
  [". .", ["runAsUserName's User cannot contain only periods or spaces"]],
  ["a@b", ["runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"]],
  ["x".repeat(105), ["runAsUserName's User length must not be longer than 104 characters"]],
])("user name %j", (runAsUserName, want) => {
  const { errors } = create(pods, pod({ runAsUserName }));
  const start = "spec.securityContext.windowsOptions.runAsUserName: Invalid value: ";
  expect(errors.map((text) => text.replace(/^(.*?: Invalid value: )"(?:[^"\\]|\\.)*": /, "$1"))).toEqual(
    want.map((text) => start + text),
  );
});

test.each([
  ["none", {}, undefined, {}, []],
  ["all", { hostProcess: true }, undefined, { hostNetwork: true }, []],
  [
    "not in the host's network",
    { hostProcess: true },
    undefined,
    {},
    ["spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers"],
  ],
  [
    "one of two",
    {},
    { hostProcess: true },
    { hostNetwork: true },
    [
      'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
    ],
  ],
  [
    "different from the pod's setting",
    { hostProcess: false },
    { hostProcess: true },
    { hostNetwork: true },
    [
      "spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: pod hostProcess value must be identical if both are specified, was false",
      'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
    ],
  ],
])("host processes: %s", (_, ofPod, ofContainer, spec, want) => {
  expect(create(pods, pod(ofPod, ofContainer, spec)).errors).toEqual(want);
});

test("host processes are privileged", () => {
  const ctx = { ...context, allowPrivileged: false };
  const { errors } = create(pods, pod({ hostProcess: true }, undefined, { hostNetwork: true }), undefined, ctx);
  expect(errors).toEqual(["spec: Forbidden: hostProcess containers are disallowed by cluster policy"]);
});
