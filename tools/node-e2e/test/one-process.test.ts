import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCriClient } from "@orchernetes/cri";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { shell } from "../src/pods.ts";
import { cannotRun, startTestNode, type TestNode, title } from "../src/test-node.ts";

const manifest = (name: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "c", image: "localhost/busybox:1", ...shell("sleep 600") }],
    },
  });

/** Names of the pods with a running container, and the ids of these. */
async function running({ containerd }: TestNode): Promise<ReadonlyMap<string, string>> {
  const cri = createCriClient({ endpoint: containerd.endpoint, timeoutMs: 30_000 });
  try {
    const { containers } = await cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } });
    return new Map(containers.map(({ id, labels }) => [labels["io.orchernetes.pod.name"] ?? "", id]));
  } finally {
    cri.close();
  }
}

describe.skipIf(cannotRun !== undefined)(title("an agent that runs as a process"), () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await startTestNode({ start: false });
  });
  afterEach(() => node?.stop());
  const ended = (agent: { readonly running: boolean }) => node.until("the agent to end", () => !agent.running);

  test("with --runonce starts all pods and exits; the pods keep running, and another agent takes them over", async () => {
    writeFileSync(join(node.manifests, "web.json"), manifest("web"));
    node.create("bound", shell("sleep 600"));
    await ended(await node.startAgent(["--runonce"]));
    const before = await running(node);
    expect([...before.keys()].sort()).toEqual(["bound", "web-node-a"]);
    expect(node.shown("bound")?.status?.phase).toBe("Running");
    expect(node.node()).toBeUndefined();
    await node.startAgent();
    await node.until(
      "the mirror of the static pod to run",
      () => node.shown("web-node-a")?.status?.phase === "Running",
    );
    expect(await running(node)).toEqual(before);
  });

  test("waits for the lock of another agent, and starts when that agent has been killed", async () => {
    const lock = `--lock-file=${join(node.dir, "lock")}`;
    const first = await node.startAgent([lock]);
    await node.until("the node to be ready", () => node.condition("Ready") === "True");
    node.create("web", shell("sleep 600"));
    await node.untilPhase("web", "Running");
    const before = await running(node);
    await first.kill9();
    // The holder of the lock has ended with the agent.
    await node.startAgent([lock]);
    node.create("next", shell("sleep 600"));
    await node.untilPhase("next", "Running");
    expect((await running(node)).get("web")).toBe(before.get("web"));
  });

  test("with --exit-on-lock-contention exits when another agent wants the lock; containers keep running", async () => {
    const file = join(node.dir, "lock");
    const first = await node.startAgent([`--lock-file=${file}`, "--exit-on-lock-contention"]);
    await node.until("the node to be ready", () => node.condition("Ready") === "True");
    node.create("web", shell("sleep 600"));
    await node.untilPhase("web", "Running");
    const before = await running(node);
    const second = await node.startAgent([`--lock-file=${file}`]);
    await ended(first);
    node.create("next", shell("sleep 600"));
    await node.untilPhase("next", "Running");
    expect(second.running).toBe(true);
    expect((await running(node)).get("web")).toBe(before.get("web"));
    // Whoever deletes the file wants the agent to end as well.
    await second.stop();
    const third = await node.startAgent([`--lock-file=${file}`, "--exit-on-lock-contention"]);
    await node.until("the lock", () => existsSync(file));
    node.create("last", shell("sleep 600"));
    await node.untilPhase("last", "Running");
    rmSync(file);
    await ended(third);
  });
});
