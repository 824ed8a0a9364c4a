import type { core } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { applyDefaults, claimErrors, podErrors } from "./limit-ranger.ts";

type Resources = core.ResourceRequirements;

function range(...limits: readonly core.LimitRangeItem[]): core.LimitRange {
  return { metadata: { name: "l" }, spec: { limits } } as core.LimitRange;
}

function pod(containers: readonly Resources[], initContainers: readonly Resources[] = []): Draft<core.Pod> {
  const named = (prefix: string) => (resources: Resources, i: number) => ({ name: `${prefix}${i}`, resources });
  return {
    metadata: { name: "p" },
    spec: { containers: containers.map(named("c")), initContainers: initContainers.map(named("i")) },
    status: {},
  } as unknown as Draft<core.Pod>;
}

test("containers get what they leave open, and the pod says so", () => {
  const p = pod([{}, { limits: { cpu: "1" }, requests: { memory: "1Mi" } }], [{ requests: { cpu: "1" } }]);
  applyDefaults(
    p,
    range({ type: "Container", default: { cpu: "500m", memory: "64Mi" }, defaultRequest: { cpu: "100m" } }),
  );
  expect(p.spec.containers.map(({ resources }) => resources)).toEqual([
    { requests: { cpu: "100m" }, limits: { cpu: "500m", memory: "64Mi" } },
    { requests: { memory: "1Mi", cpu: "100m" }, limits: { cpu: "1", memory: "64Mi" } },
  ]);
  expect(p.metadata.annotations).toEqual({
    "orchernetes.io/limit-ranger":
      "LimitRanger plugin set: cpu request for container c0; cpu, memory limit for container c0; " +
      "cpu request for container c1; memory limit for container c1; cpu, memory limit for init container i0",
  });
});

test("a range without container defaults leaves a pod alone", () => {
  const p = pod([{}]);
  applyDefaults(p, range({ type: "Pod", max: { cpu: "1" } }));
  expect(p).toEqual(pod([{}]));
});

const asks = (requests: string | undefined, limits?: string): Resources => ({
  ...(requests !== undefined && { requests: { cpu: requests } }),
  ...(limits !== undefined && { limits: { cpu: limits } }),
});

test.each<readonly [string, Omit<core.LimitRangeItem, "type">, Resources, readonly string[]]>([
  ["enough", { min: { cpu: "50m" } }, asks("50m"), []],
  ["too little", { min: { cpu: "50m" } }, asks("49m"), ["minimum cpu usage per Container is 50m, but request is 49m"]],
  [
    "a limit too low",
    { min: { cpu: "1" } },
    asks("1", "500m"),
    ["minimum cpu usage per Container is 1, but limit is 500m"],
  ],
  [
    "no request",
    { min: { cpu: "1" } },
    asks(undefined),
    ["minimum cpu usage per Container is 1.  No request is specified"],
  ],
  ["not too much", { max: { cpu: "1" } }, asks("1", "1"), []],
  ["too much", { max: { cpu: "1" } }, asks("1", "2"), ["maximum cpu usage per Container is 1, but limit is 2"]],
  [
    "a request too high",
    { max: { cpu: "1" } },
    asks("2", "1"),
    ["maximum cpu usage per Container is 1, but request is 2"],
  ],
  ["no limit", { max: { cpu: "1" } }, asks("1"), ["maximum cpu usage per Container is 1.  No limit is specified"]],
  ["near enough", { maxLimitRequestRatio: { cpu: "2" } }, asks("1", "2"), []],
  [
    "too far apart",
    { maxLimitRequestRatio: { cpu: "2" } },
    asks("1", "3"),
    ["cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000"],
  ],
  [
    "no ratio without a request",
    { maxLimitRequestRatio: { cpu: "2" } },
    asks("0", "3"),
    ["cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"],
  ],
])("a container: %s", (_, item, resources, want) => {
  expect(podErrors(pod([resources]) as core.Pod, range({ type: "Container", ...item }))).toEqual(want);
  // Init containers are held to the same.
  expect(podErrors(pod([], [resources]) as core.Pod, range({ type: "Container", ...item }))).toEqual(want);
});

test.each<readonly [string, readonly Resources[], readonly Resources[], readonly string[]]>([
  [
    "containers add up",
    [asks("600m", "600m"), asks("600m", "600m")],
    [],
    ["maximum cpu usage per Pod is 1, but limit is 1200m"],
  ],
  ["init containers do not", [asks("600m", "600m")], [asks("600m", "600m")], []],
  ["the largest init container counts", [], [asks("2", "2")], ["maximum cpu usage per Pod is 1, but limit is 2"]],
])("a pod: %s", (_, containers, initContainers, want) => {
  expect(podErrors(pod(containers, initContainers) as core.Pod, range({ type: "Pod", max: { cpu: "1" } }))).toEqual(
    want,
  );
});

test.each([
  ["1Gi", []],
  ["1Mi", ["minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi"]],
  ["5Gi", ["maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 5Gi"]],
])("a claim of %s", (storage, want) => {
  const claim = {
    metadata: {},
    spec: { resources: { requests: { storage } } },
  } as unknown as core.PersistentVolumeClaim;
  const limits = range({ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } });
  expect(claimErrors(claim, limits)).toEqual(want);
});
