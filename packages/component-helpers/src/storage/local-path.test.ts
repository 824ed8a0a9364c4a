import { expect, test } from "vitest";
import { isLocalPathFolder, isLocalPathName, reclaimAnnotation, reclaimRequests } from "./local-path.ts";

const name = "pvc-01234567-89ab-cdef-0123-456789abcdef";

test.each([
  [name, true],
  ["pvc-..", false],
  ["..", false],
  ["", false],
  [`${name}/..`, false],
  [`${name}.`, false],
  [`../${name}`, false],
  [`${name}\n`, false],
  [name.toUpperCase(), false],
])("%j as the name of a folder: %s", (volume, want) => {
  expect(isLocalPathName(volume)).toBe(want);
});

test.each([
  ["/var/lib/orchlet/local-volumes", true],
  ["/", false],
  ["", false],
  ["relative", false],
  ["/a/../b", false],
  ["/a/./b", false],
  ["/a/", false],
  ["//a", false],
  [`/${"a".repeat(4096)}`, false],
])("%j as a folder of volumes: %s", (path, want) => {
  expect(isLocalPathFolder(path)).toBe(want);
});

test("requests are found among other annotations, and have valid names of annotations", () => {
  expect(reclaimRequests({ other: "", [reclaimAnnotation(name)]: "", [reclaimAnnotation("x")]: "busy" })).toEqual([
    [name, ""],
    ["x", "busy"],
  ]);
  expect(reclaimRequests(undefined)).toEqual([]);
  expect(name.length).toBeLessThanOrEqual(63);
});
