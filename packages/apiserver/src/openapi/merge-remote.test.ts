import { describe, expect, test } from "vitest";
import { mergeRemote } from "./merge-remote.ts";

const own = {
  swagger: "2.0",
  paths: { "/apis/own/v1/things": { get: {} } },
  definitions: { Same: { type: "object" }, Other: { type: "object", description: "ours" } },
};
const groupVersions = [{ group: "a", version: "v1" }];
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const remote = (value: unknown) => ({
  body: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
  groupVersions,
});

test("the paths of the group versions and the definitions that they need are added", () => {
  const merged = mergeRemote(own, [
    remote({
      paths: {
        "/apis/a/v1/as": { get: ref("A") },
        "/apis/a/v2/as": {},
        "/apis/own/v1/things": { get: "theirs" },
        "/api": {},
      },
      definitions: {
        A: { b: [ref("B")], a: ref("A") },
        B: { same: ref("Same") },
        Same: { type: "object" },
        Unused: {},
      },
    }),
  ]);
  expect(merged.paths).toEqual({ "/apis/own/v1/things": { get: {} }, "/apis/a/v1/as": { get: ref("A") } });
  expect(merged.definitions).toEqual({
    ...own.definitions,
    A: { b: [ref("B")], a: ref("A") },
    B: { same: ref("Same") },
  });
});

test("conflicting definitions get other names, in every reference", () => {
  const theirs = (description: string) =>
    remote({
      paths: { [`/apis/a/v1/${description}`]: { get: ref("Other") } },
      definitions: { Other: { description, again: ref("Other") } },
    });
  const merged = mergeRemote(own, [theirs("one"), theirs("two")]);
  expect(merged.paths).toMatchObject({
    "/apis/a/v1/one": { get: ref("Other_v2") },
    "/apis/a/v1/two": { get: ref("Other_v3") },
  });
  expect(merged.definitions).toMatchObject({
    Other: own.definitions.Other,
    Other_v2: { description: "one", again: ref("Other_v2") },
    Other_v3: { description: "two", again: ref("Other_v3") },
  });
});

describe("invalid documents are left out", () => {
  const deep = `{"paths":{"/apis/a/v1/x":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}}`;
  test.each([["text"], ["[]"], ["null"], [deep], ['{"paths":[],"definitions":1}'], ['{"paths":{"/apis/a/v1/x":5}}']])(
    "%#",
    (text) => {
      const good = remote({ paths: { "/apis/a/v1/good": {} } });
      const merged = mergeRemote(own, [remote(text), good]);
      expect(merged).toEqual({ ...own, paths: { ...own.paths, "/apis/a/v1/good": {} } });
    },
  );

  test("keys that have a meaning in JavaScript are ordinary keys", () => {
    const text =
      '{"paths":{"/apis/a/v1/x":{"__proto__":{"polluted":1},"get":{"$ref":"#/definitions/__proto__"}}},"definitions":{"__proto__":{"b":1}}}';
    const merged = mergeRemote(own, [remote(text)]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.hasOwn(merged.definitions as object, "__proto__")).toBe(true);
  });
});
