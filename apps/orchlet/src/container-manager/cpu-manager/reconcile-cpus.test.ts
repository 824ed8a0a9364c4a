import type { CriClient } from "@orchernetes/cri";
import { silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { CpuSet } from "../topology/cpu-set.ts";
import { createCpuReconciler } from "./reconcile-cpus.ts";

const labels = (uid: string, name: string) => ({
  "io.orchernetes.pod.uid": uid,
  "io.orchernetes.container.name": name,
});

function setUp() {
  const updates: string[] = [];
  const cpus = new Map([
    ["u1/a", "2-3"],
    ["u1/b", "0-1"],
  ]);
  const running = [
    { id: "a1", labels: labels("u1", "a") },
    { id: "b1", labels: labels("u1", "b") },
    { id: "x1", labels: labels("gone", "a") },
    { id: "y1", labels: {} },
  ];
  const fails = new Set<string>();
  const cri = {
    runtime: {
      listContainers: async () => ({ containers: running }),
      updateContainerResources: async ({
        containerId,
        linux,
      }: {
        containerId: string;
        linux: { cpusetCpus: string };
      }) => {
        if (fails.has(containerId)) throw new Error("busy");
        updates.push(`${containerId} ${linux.cpusetCpus}`);
      },
    },
  } as unknown as CriClient;
  const reconcile = createCpuReconciler({
    manager: { cpusOf: (uid, name) => CpuSet.parse(cpus.get(`${uid}/${name}`) ?? "") },
    knows: (uid) => uid !== "gone",
    logger: silentLogger,
    cri,
  });
  return { updates, cpus, running, fails, reconcile };
}

test("the CPUs of a container are sent to the runtime once whenever they change", async () => {
  const { updates, cpus, reconcile } = setUp();
  await reconcile();
  await reconcile();
  expect(updates.splice(0)).toEqual(["a1 2-3", "b1 0-1"]);
  cpus.set("u1/b", "0-1,4");
  await reconcile();
  expect(updates).toEqual(["b1 0-1,4"]);
});

test("a container that cannot be updated is retried, and does not prevent the update of others", async () => {
  const { updates, fails, reconcile } = setUp();
  fails.add("a1");
  await reconcile();
  fails.clear();
  await reconcile();
  expect(updates).toEqual(["b1 0-1", "a1 2-3"]);
});

test("the CPUs of a restarted container are sent to the runtime again", async () => {
  const { updates, running, reconcile } = setUp();
  await reconcile();
  running.splice(0, 1, { id: "a2", labels: labels("u1", "a") });
  await reconcile();
  expect(updates.at(-1)).toBe("a2 2-3");
});
