import { expect, test } from "vitest";
import { cgroupPath, parseCgroupPath, parseSlice, sliceOf, slicePath } from "./cgroup-name.ts";

test.each([
  [[], "/", "-.slice", "/"],
  [["orchpods"], "/orchpods", "orchpods.slice", "/orchpods.slice"],
  [
    ["orchpods", "burstable", "poda-b-1"],
    "/orchpods/burstable/poda-b-1",
    "orchpods-burstable-poda_b_1.slice",
    "/orchpods.slice/orchpods-burstable.slice/orchpods-burstable-poda_b_1.slice",
  ],
])("group %j is %s, and with systemd %s at %s", (name, path, slice, place) => {
  expect([cgroupPath(name), sliceOf(name), slicePath(name)]).toEqual([path, slice, place]);
  expect(parseCgroupPath(path)).toEqual(name);
  expect(parseSlice(place)).toEqual(name);
  expect(parseSlice(slice)).toEqual(name);
});

test("the root group may be written as a path or as a slice", () => {
  expect(parseSlice("/custom/inner")).toEqual(["custom", "inner"]);
  expect(parseSlice("/custom.slice/custom-inner.slice")).toEqual(["custom", "inner"]);
});

test("a path outside the mount point is rejected", () => {
  expect(() => parseCgroupPath("/a/../../etc")).toThrow(/want a path such as \/system without/);
});
