import { expect, test } from "vitest";
import { nodeLabelErrors } from "./label-errors.ts";

test.each([
  ["disk", "ssd"],
  ["example.com/disk", "ssd"],
  ["orchernetes.io/os", "linux"],
  ["topology.orchernetes.io/zone", "a"],
  ["node.orchernetes.io/anything", "x"],
  ["sub.orchlet.orchernetes.io/x", ""],
])("a node may set %s=%s on itself", (key, value) => {
  expect(nodeLabelErrors(new Map([[key, value]]))).toEqual([]);
});

test.each([
  ["orchernetes.io/role", "x", /found orchernetes\.io\/role/],
  ["node-role.orchernetes.io/control-plane", "", /found node-role/],
  ["o8s.io/x", "x", /found o8s\.io\/x/],
  ["bad key", "x", /key "bad key"/],
  ["disk", "no spaces", /value "no spaces" of disk/],
])("a node may not set %s=%s on itself", (key, value, message) => {
  expect(nodeLabelErrors(new Map([[key, value]])).join("\n")).toMatch(message);
});
