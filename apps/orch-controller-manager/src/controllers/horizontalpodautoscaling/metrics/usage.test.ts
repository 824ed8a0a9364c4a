import { expect, test } from "vitest";
import { pod as podOf } from "../../../testing/builders.ts";
import type { Pod } from "./pod-groups.ts";
import { averageUsage, podRequests, utilizationUsage } from "./usage.ts";

const measured = (values: Readonly<Record<string, number>>) =>
  new Map(Object.entries(values).map(([name, milliValue]) => [name, { milliValue, timestampMs: 0, windowMs: 0 }]));

function pod(name: string, requests: Readonly<Record<string, Readonly<Record<string, string>>>>): Pod {
  const made = podOf(name);
  const containers = Object.entries(requests).map(([container, of]) => ({
    name: container,
    resources: { requests: of },
  }));
  return { ...made, spec: { ...made.spec, containers } };
}

test("the requests of a pod are those of all its containers, or of the one that is asked about", () => {
  const pods = [pod("p", { a: { cpu: "250m", memory: "1Ki" }, b: { cpu: "1.5" } }), pod("q", { a: { cpu: "0" } })];
  expect([...podRequests(pods, "cpu", "")]).toEqual([
    ["p", 1750],
    ["q", 0],
  ]);
  expect([...podRequests(pods, "cpu", "a")]).toEqual([
    ["p", 250],
    ["q", 0],
  ]);
  expect([...podRequests(pods.slice(0, 1), "memory", "a")]).toEqual([["p", 1_024_000]]);
});

test("a container without a request is an error that names it, unless another is asked about", () => {
  const pods = [pod("p", { a: { cpu: "1" }, b: { memory: "1" } })];
  expect(() => podRequests(pods, "cpu", "")).toThrow("missing request for cpu in container b of Pod p");
  expect(() => podRequests(pods, "cpu", "b")).toThrow("missing request for cpu in container b of Pod p");
  expect([...podRequests(pods, "cpu", "a")]).toEqual([["p", 1000]]);
});

test("utilization is that of all pods together in whole percent, and not the average of theirs", () => {
  const requests = new Map([
    ["p", 1000],
    ["q", 3000],
  ]);
  expect(utilizationUsage(measured({ p: 1000, q: 0 }), requests, 50)).toEqual({
    utilization: 25,
    ratio: 0.5,
    averageMilli: 500,
  });
  expect(utilizationUsage(measured({ p: 999 }), requests, 100)).toMatchObject({ utilization: 99, ratio: 0.99 });
  expect(utilizationUsage(measured({ p: 1001, q: 4000 }), requests, 100)).toMatchObject({
    utilization: 125,
    averageMilli: 2500,
  });
});

test("metrics of pods that nobody knows do not count, and without others there is no utilization", () => {
  const requests = new Map([["p", 1000]]);
  expect(utilizationUsage(measured({ p: 500, stranger: 9000 }), requests, 50)).toEqual({
    utilization: 50,
    ratio: 1,
    averageMilli: 500,
  });
  expect(() => utilizationUsage(measured({ stranger: 1 }), requests, 50)).toThrow(
    "no metrics returned matched known pods",
  );
  expect(() => utilizationUsage(measured({ p: 1 }), new Map([["p", 0]]), 50)).toThrow(
    "no metrics returned matched known pods",
  );
});

test("an average is a whole number of thousandths", () => {
  expect(averageUsage(measured({ p: 10, q: 11, r: 11 }), 20)).toEqual({ averageMilli: 10, ratio: 0.5 });
});
