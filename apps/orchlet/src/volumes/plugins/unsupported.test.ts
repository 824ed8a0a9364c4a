import { expect, test } from "vitest";
import { unsupportedVolume } from "./unsupported.ts";

test.each([
  [
    { name: "v", iscsi: {} },
    "volumes of kind iscsi cannot be mounted by this agent: they need the kernel module iscsi_tcp",
  ],
  [
    { volumeMode: "Filesystem", rbd: {}, hostPath: undefined },
    "volumes of kind rbd cannot be mounted by this agent: they need",
  ],
  [{ name: "v", gitRepo: {} }, "use an init container that clones"],
  [{ name: "v", future: {} }, "volumes of kind future cannot be mounted by this agent; it mounts emptyDir"],
])("the error of a volume %j says what the volume needs", (volume, message) => {
  expect(unsupportedVolume(volume).message).toContain(message);
});
