import { expect, test } from "vitest";
import { shimSocket } from "./shim-sockets.ts";

test("the socket of a shim is found by containerd's address and the sandbox", () => {
  // As containerd 1.6 named it.
  const containerd = "/tmp/o8s-files/nodes/node-1/runtime/containerd.sock";
  const sandbox = "63ce0d9eb892b223a233094612f7f17a1667028cc8ded64522f04bd785286faa";
  expect(shimSocket(containerd, sandbox)).toBe(
    "/run/containerd/s/b4fc31156a710f2edaed27fce461f2133dacd5475e1f5eb4f1062a05381ecf6f",
  );
});
