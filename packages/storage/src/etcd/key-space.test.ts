import { expect, test } from "vitest";
import { KeySpace } from "./key-space.ts";

test.each([
  ["the same prefix", "/registry", "/registry", "/registry/pods/a/b", "/registry/pods/a/b"],
  ["another prefix", "/tenant", "/registry", "/registry/pods/a/b", "/tenant/pods/a/b"],
  ["a prefix that starts like the root", "/registry-2", "/registry", "/registry/pods/a", "/registry-2/pods/a"],
  ["a prefix below the root", "/registry/x", "/registry", "/registry/pods/a", "/registry/x/pods/a"],
  ["no prefix", "", "/registry", "/registry/pods/a", "/pods/a"],
  ["no root", "/tenant", "", "/pods/a", "/tenant/pods/a"],
  ["a key outside the root", "/tenant", "/registry", "compact_rev_key", "compact_rev_key"],
  ["a key outside the root, no prefix", "", "/registry", "compact_rev_key", "compact_rev_key"],
])("names keys with %s", (_, prefix, root, key, raw) => {
  const keys = new KeySpace(prefix, root);
  expect(keys.raw(key)).toBe(raw);
  expect(keys.key(raw)).toBe(key);
});

test("leaves out what another server stores under the usual prefix", () => {
  expect(new KeySpace("/tenant", "/registry").key("/registry/pods/a/b")).toBeUndefined();
});
