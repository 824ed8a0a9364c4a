import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { pod } from "../testing/builders.ts";
import { claimIndex, claimIndexers, claimKeysOf } from "./pod-claims.ts";

const withVolumes = (volumes: readonly core.Volume[] | undefined, namespace = "ns") => {
  const made = pod("web", { namespace });
  return { ...made, spec: { ...made.spec, ...(volumes === undefined ? {} : { volumes }) } };
};
const claim = (name: string, claimName: string): core.Volume => ({ name, persistentVolumeClaim: { claimName } });
const ephemeral = (name: string): core.Volume => ({ name, ephemeral: {} });

test.each<readonly [string, readonly core.Volume[] | undefined, readonly string[]]>([
  ["no volumes", undefined, []],
  ["an empty list", [], []],
  ["volumes without claims", [{ name: "a", emptyDir: {} }, { name: "b" }], []],
  ["a claim", [claim("v", "data")], ["ns/data"]],
  ["the claim of an ephemeral volume", [ephemeral("scratch")], ["ns/web-scratch"]],
  [
    "several, in order",
    [claim("v", "b"), ephemeral("x"), { name: "e", emptyDir: {} }, claim("w", "a")],
    ["ns/b", "ns/web-x", "ns/a"],
  ],
])("%s", (_, volumes, want) => {
  expect(claimKeysOf(withVolumes(volumes))).toEqual(want);
  expect(claimIndexers[claimIndex]?.(withVolumes(volumes))).toEqual(want);
});

test("claims of the same name in other namespaces are others", () => {
  expect(claimKeysOf(withVolumes([claim("v", "data"), ephemeral("x")], "other"))).toEqual([
    "other/data",
    "other/web-x",
  ]);
});
