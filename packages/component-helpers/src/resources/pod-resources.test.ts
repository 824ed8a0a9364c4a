import type { core } from "@orchernetes/api";
import { seededNumbers } from "@orchernetes/apimachinery";
import { pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podLimits, podRequests } from "./pod-resources.ts";
import { resourceListOf } from "./resource-list.ts";
import { podRequestUnits, unitsOf } from "./unit-amounts.ts";

const MB = 1024 * 1024;
type List = Record<string, string>;
const container = (requests: List, limits: List = {}): core.Container => ({
  name: "c",
  image: "i",
  resources: { requests, limits },
});
const spec = (containers: core.Container[], more: Partial<core.PodSpec> = {}): core.PodSpec => ({
  ...pod("p").build().spec,
  containers,
  ...more,
});

test.each<[string, core.PodSpec, Record<string, number>]>([
  ["nothing", spec([container({})]), {}],
  ["one container", spec([container({ cpu: "500m", memory: "64Mi" })]), { cpu: 500, memory: 64 * MB }],
  [
    "the sum of its containers",
    spec([container({ cpu: "1" }), container({ cpu: "250m", "example.com/gpu": "2" })]),
    { cpu: 1250, "example.com/gpu": 2 },
  ],
  [
    "an init container that needs more of one thing",
    spec([container({ cpu: "1", memory: "1Mi" })], {
      initContainers: [container({ cpu: "3" }), container({ memory: "512Ki", "example.com/gpu": "1" })],
    }),
    { cpu: 3000, memory: MB, "example.com/gpu": 1 },
  ],
  [
    "overhead on top",
    spec([container({ cpu: "1" })], { overhead: { cpu: "100m", memory: "10Mi" } }),
    { cpu: 1100, memory: 10 * MB },
  ],
  ["explicit zeros", spec([container({ cpu: "0", memory: "0" })]), { cpu: 0, memory: 0 }],
  ["two halves of a byte", spec([container({ memory: "500m" }), container({ memory: "500m" })]), { memory: 1 }],
  ["parts of a byte", spec([container({ memory: "0.3" }), container({ memory: "1500m" })]), { memory: 2 }],
  ["parts of a thousandth", spec([container({ cpu: "100u" }), container({ cpu: "200u" })]), { cpu: 1 }],
])("a pod asks for %s", (_, given, units) => {
  expect(Object.fromEntries(podRequestUnits(given))).toEqual(units);
});

test("limits: overhead raises a limit that is there and makes none", () => {
  const given = spec([container({}, { cpu: "1" }), container({}, { cpu: "1" })], {
    initContainers: [container({}, { cpu: "3", "ephemeral-storage": "0" })],
    overhead: { cpu: "100m", memory: "10Mi", "ephemeral-storage": "1Mi" },
  });
  expect(resourceListOf(podLimits(given))).toEqual({ cpu: "3100m", "ephemeral-storage": "1Mi" });
  expect(resourceListOf(podLimits(given, { overhead: false }))).toEqual({ cpu: "3", "ephemeral-storage": "0" });
});

test("requests without overhead", () => {
  const given = spec([container({ cpu: "1" })], { overhead: { cpu: "100m", memory: "10Mi" } });
  expect(resourceListOf(podRequests(given, { overhead: false }))).toEqual({ cpu: "1" });
});

test("requests of random pods in whole units are the exact ones, rounded up", () => {
  const next = seededNumbers(3);
  const one = (of: readonly string[]): string => of[next(of.length)] ?? "0";
  const amounts = [
    "0",
    "1",
    "2",
    "1500m",
    "0.5",
    "1e3",
    "1e-1",
    "12e-1",
    "100u",
    "999n",
    "1Ki",
    "3Mi",
    "0.1Ki",
    "5G",
    "1E",
  ];
  const list = (): List =>
    Object.fromEntries(
      Array.from({ length: next(4) }, () => [one(["cpu", "memory", "example.com/a", "hugepages-2Mi"]), one(amounts)]),
    );
  const containers = (least: number) => Array.from({ length: least + next(3) }, () => container(list(), list()));
  for (let i = 0; i < 3000; i++) {
    const given = spec(containers(1), { initContainers: containers(0), overhead: list() });
    const exact = [...podRequests(given)].map(([name, quantity]) => [name, unitsOf(name, quantity)] as const);
    expect(Object.fromEntries(podRequestUnits(given)), JSON.stringify(given)).toEqual(Object.fromEntries(exact));
  }
});
