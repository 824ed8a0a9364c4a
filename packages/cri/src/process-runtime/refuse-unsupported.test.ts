import { expect, test } from "vitest";
import type { ContainerConfig } from "../v1/container.ts";
import type { PodSandboxConfig } from "../v1/sandbox.ts";
import { refuseUnsupportedContainer, refuseUnsupportedSandbox } from "./refuse-unsupported.ts";

const sandbox = (sysctls: object) => ({ linux: { sysctls } }) as unknown as PodSandboxConfig;
const container = (securityContext: object) => ({ linux: { securityContext } }) as unknown as ContainerConfig;
const profile = (profileType: string, localhostRef = "") => ({ profileType, localhostRef });

test("sandboxes with runtime handlers or kernel settings of their own are rejected", () => {
  expect(() => refuseUnsupportedSandbox(sandbox({}), "")).not.toThrow();
  expect(() => refuseUnsupportedSandbox(sandbox({}), "kata")).toThrow('no runtime for "kata" is configured');
  expect(() => refuseUnsupportedSandbox(sandbox({ "net.core.somaxconn": "1" }), "")).toThrow(
    'found sysctls "net.core.somaxconn"',
  );
});

test.each([
  [{}, undefined],
  [{ seccomp: profile("RuntimeDefault"), apparmor: profile("Unconfined") }, undefined],
  [{ seccomp: profile("Unconfined") }, undefined],
  [{ seccomp: profile("Localhost", "/seccomp/a.json") }, 'found seccomp profile Localhost "/seccomp/a.json"'],
  [{ apparmor: profile("RuntimeDefault") }, "found AppArmor profile RuntimeDefault,"],
  [{ apparmor: profile("Localhost", "strict") }, 'found AppArmor profile Localhost "strict"'],
])("containers with %j are rejected: %s", (securityContext, want) => {
  const create = () => refuseUnsupportedContainer(container(securityContext));
  if (want === undefined) expect(create).not.toThrow();
  else expect(create).toThrow(want);
});
