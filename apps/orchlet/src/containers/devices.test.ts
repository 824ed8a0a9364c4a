import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { volumeDevicesOf } from "./devices.ts";

const [container] = testPod({
  containers: [{ name: "c", image: "i", volumeDevices: [{ name: "disk", devicePath: "/dev/xvda" }] }],
}).spec.containers;
const devicesOf = (volume: { readonly block?: boolean; readonly readOnly: boolean } | undefined) =>
  container && volumeDevicesOf(container, new Map(volume && [["disk", { path: "/dev/loop7", ...volume }]]));

test.each([
  [false, "mrw"],
  [true, "r"],
])("a block device that is readOnly %s has the permissions %s", (readOnly, permissions) => {
  expect(devicesOf({ block: true, readOnly })).toEqual([
    { containerPath: "/dev/xvda", hostPath: "/dev/loop7", permissions },
  ]);
});

test("a folder is not a device, and the error names a missing volume", () => {
  expect(() => devicesOf({ readOnly: false })).toThrow("volume disk has volumeMode Filesystem");
  expect(() => devicesOf(undefined)).toThrow('cannot find volume "disk" to pass into container "c"');
});
