import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeObject } from "@orchernetes/client/testing";
import { createCriClient } from "@orchernetes/cri";
import { mountsBelow } from "@orchernetes/host";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shell } from "../src/pods.ts";
import { cannotRun, startTestNode, type TestNode, title } from "../src/test-node.ts";

const mount = (name: string, mountPath: string, more: object = {}) => ({ name, mountPath, ...more });
/** A pod with a volume of every kind that the agent sets up itself. */
const container = {
  ...shell('date > /disk/started; date > /memory/started; trap "exit 0" TERM; while :; do sleep 0.2; done'),
  volumeMounts: [
    mount("disk", "/disk"),
    mount("memory", "/memory"),
    mount("memory", "/part", { subPath: "a/b" }),
    mount("texts", "/texts"),
    mount("texts", "/text", { subPath: "text" }),
    mount("secret", "/secret"),
    mount("all", "/all"),
    mount("host", "/host"),
    mount("host", "/host-part", { subPathExpr: "part-$(NAME)" }),
  ],
  env: [{ name: "NAME", value: "x" }],
};
const volumes = (node: TestNode) => [
  { name: "disk", emptyDir: {} },
  { name: "memory", emptyDir: { medium: "Memory" } },
  { name: "texts", configMap: { name: "texts" } },
  { name: "secret", secret: { secretName: "secret" } },
  {
    name: "all",
    projected: {
      sources: [
        { configMap: { name: "texts" } },
        { secret: { name: "secret" } },
        { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
      ],
    },
  },
  { name: "host", hostPath: { path: join(node.dir, "host"), type: "DirectoryOrCreate" } },
];

describe.skipIf(cannotRun !== undefined)(title("an agent that is killed and restarted"), () => {
  let node: TestNode;
  let before: readonly string[];
  const create = (name: string) => node.create(name, container, { volumes: volumes(node) });
  const ofPod = async (name: string) =>
    (await mountsBelow(node.rootDir)).filter((path) => path.includes(`/uid-${name}/`));
  async function containerOf(name: string): Promise<string> {
    const cri = createCriClient({ endpoint: node.containerd.endpoint, timeoutMs: 30_000 });
    try {
      const { containers } = await cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } });
      return containers
        .filter(({ labels }) => labels["io.orchernetes.pod.name"] === name)
        .map(({ id }) => id)
        .join();
    } finally {
      cri.close();
    }
  }

  beforeAll(async () => {
    node = await startTestNode({ settings: { syncFrequency: "5s" } });
    node.api.put("/api/v1/configmaps", {
      metadata: { namespace: "default", name: "texts" },
      data: { text: "one" },
    } as FakeObject);
    node.api.put("/api/v1/secrets", {
      metadata: { namespace: "default", name: "secret" },
      data: { key: Buffer.from("hidden").toString("base64") },
    } as FakeObject);
    await node.until("the node to be ready", () => node.condition("Ready") === "True");
    before = await mountsBelow(node.rootDir);
    for (const name of ["kept", "deleted", "ended"]) create(name);
    for (const name of ["kept", "deleted", "ended"]) await node.untilPhase(name, "Running");
  });
  afterAll(() => node?.stop());

  test("finds the volumes of its pods again, keeps their content, and continues to update them", async () => {
    const [id, mounts] = [await containerOf("kept"), await ofPod("kept")];
    const disk = join(node.rootDir, "pods/uid-kept/volumes/orchernetes.io~empty-dir/disk/started");
    const memory = join(node.rootDir, "pods/uid-kept/volumes/orchernetes.io~empty-dir/memory/started");
    const started = [readFileSync(disk, "utf8"), readFileSync(memory, "utf8")];
    await node.agent.kill9();
    node.api.put("/api/v1/configmaps", {
      metadata: { namespace: "default", name: "texts" },
      data: { text: "two" },
    } as FakeObject);
    await node.startAgent();
    const text = join(node.rootDir, "pods/uid-kept/volumes/orchernetes.io~configmap/texts/text");
    await node.until("the text to change", () => readFileSync(text, "utf8") === "two");
    expect([readFileSync(disk, "utf8"), readFileSync(memory, "utf8")]).toEqual(started);
    expect(await ofPod("kept")).toEqual(mounts);
    expect(await containerOf("kept")).toBe(id);
  });

  test("removes the volumes of a pod that was deleted meanwhile", async () => {
    expect((await ofPod("deleted")).length).toBeGreaterThan(2);
    await node.agent.kill9();
    node.api.remove("/api/v1/pods", "default/deleted");
    await node.startAgent();
    await node.until("its folder to be gone", () => !existsSync(join(node.rootDir, "pods/uid-deleted")));
    expect(await ofPod("deleted")).toEqual([]);
    expect(await containerOf("deleted")).toBe("");
  });

  test("removes the volumes of a pod whose containers ended meanwhile", async () => {
    const pod = node.shown("ended");
    await node.agent.kill9();
    // Deleted with a grace period: the agent has to end it, and to delete the object.
    node.api.put("/api/v1/pods", {
      ...pod,
      metadata: { ...pod?.metadata, deletionTimestamp: new Date().toISOString(), deletionGracePeriodSeconds: 1 },
    } as unknown as FakeObject);
    const cri = createCriClient({ endpoint: node.containerd.endpoint, timeoutMs: 30_000 });
    await cri.runtime.stopContainer({ containerId: await containerOf("ended"), timeout: 1 });
    cri.close();
    await node.startAgent();
    await node.until("the pod to be gone", () => node.shown("ended") === undefined);
    await node.until("its folder to be gone", () => !existsSync(join(node.rootDir, "pods/uid-ended")));
    expect(await ofPod("ended")).toEqual([]);
  });

  test("leaves nothing behind when it is killed repeatedly while pods start and end", async () => {
    for (let round = 0; round < 8; round++) {
      const name = `round-${round}`;
      create(name);
      await new Promise((resolve) => setTimeout(resolve, 150 * round));
      await node.agent.kill9();
      if (round % 2 === 0) node.api.remove("/api/v1/pods", `default/${name}`);
      await node.startAgent();
      if (round % 2 === 1) {
        await node.untilPhase(name, "Running");
        node.api.remove("/api/v1/pods", `default/${name}`);
      }
    }
    node.api.remove("/api/v1/pods", "default/kept");
    await node.until("all folders to be gone", () => readdirSync(join(node.rootDir, "pods")).length === 0, 180_000);
    expect(await mountsBelow(node.rootDir)).toEqual(before);
    // The files of the host are the user's.
    expect(readdirSync(join(node.dir, "host"))).toEqual(["part-x"]);
  });
});
