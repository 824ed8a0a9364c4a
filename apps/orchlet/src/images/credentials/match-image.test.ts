import { expect, test } from "vitest";
import { matchesImage, registryOf, repositoryOf } from "./match-image.ts";

test.each([
  ["busybox", "docker.io/library/busybox"],
  ["team/app:1", "docker.io/team/app"],
  ["localhost/app@sha256:00", "localhost/app"],
  ["registry.example:5000/team/app:v1@sha256:00", "registry.example:5000/team/app"],
  ["registry.example:5000/app", "registry.example:5000/app"],
])("the repository of %s is %s", (image, want) => {
  expect(repositoryOf(image)).toBe(want);
});

test("the registry of an image includes the port", () => {
  expect(registryOf("registry.example:5000/team/app")).toBe("registry.example:5000");
});

test.each([
  ["registry.example", "registry.example/app", true],
  ["*.example", "registry.example/app", true],
  ["*.example", "a.registry.example/app", false],
  ["*.*.example", "a.registry.example/app", true],
  ["reg*ry.example", "registry.example/app", true],
  ["regist?y.ex*", "registry.example/app", true],
  ["regist?y.ex*x", "registry.example/app", false],
  ["*", "registry.example/app", false],
  ["registry.example/team", "registry.example/team/app", true],
  ["registry.example/team", "registry.example/teams", true],
  ["registry.example/team", "registry.example/other/app", false],
  ["registry.example:5000", "registry.example:5000/app", true],
  ["registry.example:5000", "registry.example:5001/app", false],
  ["registry.example:5000", "registry.example/app", false],
  // As in 1.27: credentials for the usual port are not shown to another server on the host.
  ["registry.example", "registry.example:5000/app", false],
  ["docker.io", "docker.io/library/busybox", true],
])("pattern %s and %s: %s", (pattern, repository, want) => {
  expect(matchesImage(pattern, repository)).toBe(want);
});

test("a hostile pattern is matched quickly", () => {
  const started = process.cpuUsage();
  expect(matchesImage(`${"*a".repeat(2000)}b`, `${"a".repeat(20_000)}/x`)).toBe(false);
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
});
