import { expect, test } from "vitest";
import { type AffinityNeed, AffinityShares } from "./affinity-shares.ts";

const need = (namespace: string, seconds: number, count: number): AffinityNeed => ({
  namespace,
  seconds,
  slots: new Map([["v4-tcp", count]]),
});

function shares(limits: { readonly namespace: number; readonly total: number }) {
  const affinity = new AffinityShares({ least: 4, ...limits });
  const needs = new Map<string, AffinityNeed>();
  return {
    affinity,
    set(service: string, wanted: AffinityNeed | undefined) {
      affinity.set(service, wanted);
      if (wanted === undefined) needs.delete(service);
      else needs.set(service, wanted);
    },
    refused: () => [...needs].filter(([, wanted]) => affinity.isRefused(wanted)).map(([service]) => service),
  };
}

test("services with the same timeout in a namespace need slots once, in powers of two", () => {
  const { affinity, set, refused } = shares({ namespace: 8, total: 8 });
  for (let i = 0; i < 100; i++) set(`a/${i}`, need("a", 60, 5));
  expect(affinity.settle()).toEqual([]);
  set("a/more", need("a", 60, 9));
  expect(affinity.settle()).toHaveLength(101);
  expect(refused()).toHaveLength(101);
  set("a/more", undefined);
  expect(affinity.settle()).toHaveLength(100);
  expect(refused()).toEqual([]);
});

test("a namespace has what needs least first, up to its limit", () => {
  const { affinity, set, refused } = shares({ namespace: 8, total: 100 });
  set("a/large", need("a", 1, 8));
  set("a/small", need("a", 2, 2));
  set("a/middle", need("a", 3, 4));
  expect(affinity.settle()).toEqual(["a/large"]);
  set("b/other", need("b", 1, 8));
  expect(affinity.settle()).toEqual([]);
  set("a/small", undefined);
  set("a/middle", undefined);
  expect(affinity.settle()).toEqual(["a/large"]);
  expect(refused()).toEqual([]);
});

test("beyond the total the namespaces with most give way, and small ones keep what they have", () => {
  const { affinity, set, refused } = shares({ namespace: 64, total: 64 });
  for (let i = 0; i < 8; i++) set(`big/${i}`, need("big", i + 1, 8));
  expect(affinity.settle()).toEqual([]);
  for (let i = 0; i < 4; i++) set(`small${i}/web`, need(`small${i}`, 1, 4));
  affinity.settle();
  expect(refused()).toEqual(["big/6", "big/7"]);
});

test("after a reduction half is left, and the least in the end", () => {
  const { affinity, set, refused } = shares({ namespace: 64, total: 64 });
  for (let i = 0; i < 6; i++) set(`big/${i}`, need("big", i + 1, 8));
  set("small/web", need("small", 1, 4));
  affinity.settle();
  expect(affinity.reduce()).toBe(true);
  affinity.settle();
  expect(refused()).toEqual(["big/2", "big/3", "big/4", "big/5"]);
  expect(affinity.reduce()).toBe(true);
  affinity.settle();
  expect(refused()).toHaveLength(6);
  expect(refused()).not.toContain("small/web");
  expect(affinity.reduce()).toBe(false);
});

test("what a reduction has taken comes back step by step, up to the limit", () => {
  const { affinity, set, refused } = shares({ namespace: 64, total: 64 });
  for (let i = 0; i < 8; i++) set(`big/${i}`, need("big", i + 1, 8));
  affinity.settle();
  expect(affinity.grow()).toBe(false);
  affinity.reduce();
  affinity.settle();
  const counts = [refused().length];
  while (affinity.grow()) {
    affinity.settle();
    counts.push(refused().length);
  }
  expect(counts).toEqual([4, 3, 2, 1, 0]);
  expect(affinity.grow()).toBe(false);
});
