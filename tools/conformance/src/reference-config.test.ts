import { expect, test } from "vitest";
import { referenceConfig, referenceFlags } from "./reference-config.ts";

test("the suite's agent gets the settings that its level has, and no others", () => {
  const own = { address: "10.64.1.1", port: 10250, containerRuntimeEndpoint: "unix:///c", cgroupRoot: "/n" };
  const config = referenceConfig(own, "/n/reference");
  expect(config).toMatchObject({ address: "10.64.1.1", port: 10250, cgroupRoot: "/n", rotateCertificates: true });
  expect(config).toHaveProperty("staticPodPath", "/n/reference/manifests");
  expect(config).not.toHaveProperty("containerRuntimeEndpoint");
  const node = { name: "n", address: "10.64.1.1", bridge: "b", podCidr: "10.64.1.0/24", endpoint: "unix:///c" };
  expect(referenceFlags(node, "/n/reference")).toContain("--container-runtime-endpoint=unix:///c");
});
