import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCriClient } from "@orchernetes/cri";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Cluster } from "./cluster.ts";
import { layout } from "./layout.ts";
import { stop } from "./processes.ts";
import { startRuntime } from "./runtimes.ts";
import type { NodeState } from "./state.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-runtime-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test.skipIf(process.platform !== "linux")(
  "a runtime that follows a killed one is waited for until it answers",
  async () => {
    const files = layout(dir);
    const socket = join(files.runtime("node-1"), "process.sock");
    mkdirSync(files.runtime("node-1"), { recursive: true });
    const listenAndDie = `net.createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", listenAndDie, socket]);
    expect(existsSync(socket)).toBe(true);
    const node: NodeState = {
      name: "node-1",
      runtime: "process",
      port: 6,
      healthzPort: 7,
      podCidr: "127.77.0.0/24",
      bridge: "b",
      endpoint: `unix://${socket}`,
    };
    const cluster = new Cluster(files, {
      version: 1,
      port: 1,
      store: "embedded",
      etcdPort: 2,
      etcdPeerPort: 3,
      schedulerPort: 4,
      controllerManagerPort: 5,
      nodes: [node],
      processes: [],
    });
    await startRuntime(cluster, node);
    const cri = createCriClient({ endpoint: node.endpoint, timeoutMs: 5000 });
    try {
      expect((await cri.runtime.version({})).runtimeName).not.toBe("");
    } finally {
      cri.close();
      for (const started of cluster.state.processes) await stop(started, 5000);
    }
  },
  30_000,
);
