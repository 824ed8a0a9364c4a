import { expect, test } from "vitest";
import { AbsentOwners } from "./absent-owners.ts";

test("an owner is absent only in the namespace in which it was looked up", () => {
  const owners = new AbsentOwners(10);
  owners.add("u1", "a");
  expect(owners.has("u1", "a")).toBe(true);
  expect(owners.has("u1", "b")).toBe(false);
  expect(owners.has("u1", "")).toBe(false);
});

test("beyond the capacity, the entry that was added first is dropped", () => {
  const owners = new AbsentOwners(2);
  owners.add("u1", "a");
  owners.add("u2", "a");
  owners.add("u1", "a");
  owners.add("u3", "a");
  expect(["u1", "u2", "u3"].filter((uid) => owners.has(uid, "a"))).toEqual(["u1", "u3"]);
});
