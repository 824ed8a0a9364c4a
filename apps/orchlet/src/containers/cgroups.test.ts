import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { createPodCgroups } from "./cgroups.ts";

let mountPoint: string;
beforeEach(async () => {
  mountPoint = await mkdtemp(join(tmpdir(), "o8s-cgroups-"));
});
afterEach(() => rm(mountPoint, { recursive: true }));

const pod = (uid: string, requests: object = {}) =>
  testPod({ containers: [{ name: "c", image: "i", resources: { requests } }] }, { uid });
const groups = (active: readonly core.Pod[]) =>
  createPodCgroups({
    root: "",
    enabled: true,
    cpu: { quota: true, periodMs: 100 },
    podPidsLimit: -1,
    active: () => active,
    onError: () => undefined,
    mountPoint,
  });

test.each([
  ["version 1", undefined, "cpu", "cpu.shares", { besteffort: "2", burstable: "1536", pod: "512" }],
  ["version 2", "cpu memory pids", "", "cpu.weight", { besteffort: "1", burstable: "59", pod: "20" }],
])(
  "control groups of %s: classes and pods have the weights of what they ask for",
  async (_, controllers, tree, file, want) => {
    if (controllers !== undefined) await writeFile(join(mountPoint, "cgroup.controllers"), controllers);
    else await mkdir(join(mountPoint, "cpu"));
    const asks = pod("a", { cpu: "500m" });
    const cgroups = groups([asks, pod("b", { cpu: "1" }), pod("idle")]);
    await cgroups.ensure(asks);
    await cgroups.ensure(pod("idle"));
    const weight = (path: string) => readFile(join(mountPoint, tree, "orchpods", path, file), "utf8");
    expect({
      besteffort: await weight("besteffort"),
      burstable: await weight("burstable"),
      pod: await weight("burstable/poda"),
    }).toEqual(want);
    expect(await weight("besteffort/podidle")).toBe(want.besteffort);
  },
);

test("the weight of the burstable class follows its pods", async () => {
  await mkdir(join(mountPoint, "cpu"));
  const active = [pod("a", { cpu: "1" })];
  const cgroups = groups(active);
  await cgroups.weighClasses();
  active.pop();
  await cgroups.weighClasses();
  expect(await readFile(join(mountPoint, "cpu/orchpods/burstable/cpu.shares"), "utf8")).toBe("2");
});
