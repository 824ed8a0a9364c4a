import type { core } from "@orchernetes/api";
import { describe, expect, test } from "vitest";
import {
  repellingEffects,
  toleratesTaint,
  tolerationPeriodMs,
  tolerationsTolerate,
  untoleratedTaints,
} from "./tolerations.ts";

const taint: core.Taint = { key: "k", value: "v", effect: "NoSchedule" };
const bare: core.Taint = { key: "k", effect: "NoExecute" };

const single: [string, core.Toleration, core.Taint, boolean][] = [
  ["the same key and value", { key: "k", operator: "Equal", value: "v" }, taint, true],
  ["Equal where no operator is given", { key: "k", value: "v" }, taint, true],
  ["another value", { key: "k", value: "w" }, taint, false],
  ["another key", { key: "j", value: "v" }, taint, false],
  ["no value for a taint without one", { key: "k" }, bare, true],
  ["no value for a taint with one", { key: "k" }, taint, false],
  ["any value", { key: "k", operator: "Exists" }, taint, true],
  ["any taint", { operator: "Exists" }, taint, true],
  ["any taint of another effect", { operator: "Exists", effect: "NoExecute" }, taint, false],
  ["any taint of the effect", { operator: "Exists", effect: "NoSchedule" }, taint, true],
  ["any key with the value", { value: "v" }, taint, true],
  ["any key with no value", { operator: "Equal" }, bare, true],
  ["any key with another value", { value: "w" }, taint, false],
  ["an unknown operator", { key: "k", operator: "Like" as "Equal", value: "v" }, taint, false],
];

test.each(single)("a toleration of %s", (_, toleration, tainted, want) => {
  expect(toleratesTaint(toleration, tainted)).toBe(want);
});

test.each(single)("among many tolerations and taints, a toleration of %s", (_, toleration, tainted, want) => {
  const others = Array.from({ length: 30 }, (_, i): core.Taint => ({ key: `o${i}`, effect: "NoExecute" }));
  const tolerations = [...others, toleration];
  const left = untoleratedTaints([tainted, ...others], tolerations, ["NoSchedule", "NoExecute"]);
  expect(left).toEqual(want ? [] : [tainted]);
});

test("only taints with the given effects are considered", () => {
  const preferred: core.Taint = { key: "p", effect: "PreferNoSchedule" };
  const tolerations = [{ key: "k", operator: "Exists" as const }];
  const other: core.Taint = { key: "o", effect: "NoExecute" };
  expect(untoleratedTaints([taint, preferred, other], tolerations, repellingEffects)).toEqual([other]);
  expect(untoleratedTaints([taint, preferred], tolerations, ["PreferNoSchedule"])).toEqual([preferred]);
  expect(untoleratedTaints(undefined, undefined, repellingEffects)).toEqual([]);
  expect(tolerationsTolerate(undefined, taint)).toBe(false);
});

describe("a pod on a tainted node stays", () => {
  const a: core.Taint = { key: "a", effect: "NoExecute", value: "v" };
  const b: core.Taint = { key: "b", effect: "NoExecute" };
  const exists = (key: string | undefined, tolerationSeconds?: number): core.Toleration => ({
    ...(key === undefined ? {} : { key }),
    operator: "Exists",
    ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
  });
  test.each<[string, readonly core.Toleration[], readonly core.Taint[], number | undefined]>([
    ["for ever without taints", [], [], undefined],
    ["not at all without a toleration", [], [a], 0],
    ["for ever when it tolerates all", [exists(undefined)], [a, b], undefined],
    ["not at all when it tolerates one of two", [exists("a")], [a, b], 0],
    ["as long as it tolerates", [exists("a", 30)], [a], 30_000],
    ["as long as the first toleration of a taint says", [exists("a", 30), exists(undefined, 9)], [a], 30_000],
    ["for ever when the first says so", [exists(undefined), exists("a", 9)], [a], undefined],
    ["as long as the shortest of two taints", [exists("a", 30), exists("b", 9)], [a, b], 9_000],
    ["not at all for 0 s", [exists("a", 0)], [a], 0],
    ["not at all for less than 0 s", [exists("a", -1)], [a], 0],
  ])("%s", (_, tolerations, taints, want) => {
    expect(tolerationPeriodMs(tolerations, taints)).toBe(want);
  });
});
