import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { access, constants, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { coordination, core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { type GuardedProcess, logTail, poll, startGuarded, type TestCluster } from "@orchernetes/testkit";
import { keepKernelSettings } from "./kernel-settings.ts";
import { type NodeOfCluster, referenceConfig, referenceFlags } from "./reference-config.ts";
import type { Suite } from "./suite.ts";

/** The suite's own node agents, which run in place of this project's. */
export interface ReferenceAgents {
  /** Ends them. The cluster can be stopped as usual then. */
  stop(): Promise<void>;
}

/** The group of whoever has a bootstrap token of the local cluster; its rights are bound already. */
const GROUP = "system:bootstrappers:orchadm:default-node-token";

const random = (length: number): string =>
  Array.from({ length }, () => "0123456789abcdefghijklmnopqrstuvwxyz"[randomInt(36)]).join("");

/** Creates a bootstrap token, and a client configuration with it. */
async function writeBootstrapConfig(client: Client, cluster: TestCluster, file: string): Promise<void> {
  const [id, secret] = [random(6), random(16)];
  const text = { "token-id": id, "token-secret": secret, "auth-extra-groups": GROUP };
  await client
    .resource(core.secrets)
    .namespace("orch-system")
    .create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `bootstrap-token-${id}`, namespace: "orch-system" },
      type: "bootstrap.orchernetes.io/token",
      stringData: { ...text, "usage-bootstrap-authentication": "true" },
    } as never);
  const authority = (await readFile(join(cluster.dataDir, "pki/ca.crt"))).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "local", cluster: { server: cluster.url, "certificate-authority-data": authority } }],
    users: [{ name: "bootstrap", user: { token: `${id}.${secret}` } }],
    contexts: [{ name: "local", context: { cluster: "local", user: "bootstrap" } }],
    "current-context": "local",
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
}

/** Makes the control group in every hierarchy of version 1: the suite's agent wants it in some that this project's does not use. */
async function makeCgroup(path: string): Promise<void> {
  const mounts = (await readFile("/proc/mounts", "utf8")).split("\n").map((line) => line.split(" "));
  for (const [, folder = "", type] of mounts)
    if (type === "cgroup") await mkdir(join(folder, path), { recursive: true });
}

/** Ends this project's agent of the node, and deletes its objects, so that the next agent has to join. */
async function removeOwnAgent(client: Client, cluster: TestCluster, node: string): Promise<void> {
  const pid = cluster.pid(`orchlet-${node}`);
  process.kill(pid);
  await poll({ what: `the agent of ${node} to end` }, () =>
    promisify(execFile)("ps", ["-o", "stat=", "-p", String(pid)]).then(
      ({ stdout }) => stdout.startsWith("Z"),
      () => true,
    ),
  );
  await client.resource(core.nodes).delete(node);
  await client
    .resource(coordination.leases)
    .namespace("orch-node-lease")
    .delete(node)
    .catch(() => undefined);
}

async function startAgent(suite: Suite, cluster: TestCluster, node: NodeOfCluster): Promise<GuardedProcess> {
  const client = cluster.client();
  await removeOwnAgent(client, cluster, node.name);
  const folder = join(cluster.dataDir, "nodes", node.name, "reference");
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const own = JSON.parse(await readFile(join(cluster.dataDir, "config", `${node.name}.yaml`), "utf8"));
  const config = referenceConfig(own, folder);
  await makeCgroup(config.cgroupRoot);
  await mkdir(config.staticPodPath, { recursive: true });
  await writeFile(join(folder, "config.json"), JSON.stringify(config));
  await writeBootstrapConfig(client, cluster, join(folder, "bootstrap.orchconfig"));
  const logFile = join(cluster.dataDir, "logs", `reference-agent-${node.name}.log`);
  const agent = await startGuarded({ command: [suite.agent, ...referenceFlags(node, folder)], logFile });
  const nodes = client.resource(core.nodes);
  try {
    await poll({ what: `the suite's agent to make ${node.name} ready`, timeoutMs: 180_000 }, async () => {
      if (!agent.running) return true;
      const { status } = await nodes.get(node.name);
      return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
    });
    if (!agent.running) throw new Error("it ended");
    // As this project's tool sets it: the range is that of the node's bridge.
    await nodes.patch(node.name, { spec: { podCIDR: node.podCidr, podCIDRs: [node.podCidr] } } as never, {
      type: "merge",
    });
  } catch (cause) {
    await agent.end();
    // A fatal error is followed by the stacks of all threads.
    const errors = logTail(logFile, 2000)
      .split("\n")
      .filter((line) => /^[EF]\d/.test(line));
    const last = errors.slice(-10).join("\n");
    throw new Error(`the suite's agent of ${node.name} does not run; the last errors in its log:\n${last}`, { cause });
  }
  return agent;
}

/**
 * Replaces the node agents of a local cluster by those of the suite, which join with bootstrap tokens. They set kernel settings of this
 * host, which get their former values back at the end, and write logs of containers below `/var/log/pods`.
 *
 * @throws Error with the end of the log of an agent that does not become ready; no agent of the suite runs then
 */
export async function useReferenceAgents(suite: Suite, cluster: TestCluster): Promise<ReferenceAgents> {
  await access(suite.agent, constants.X_OK);
  const { nodes } = JSON.parse(await readFile(join(cluster.dataDir, "cluster.json"), "utf8")) as {
    readonly nodes: readonly NodeOfCluster[];
  };
  const settings = await keepKernelSettings();
  const agents: GuardedProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const agent of agents.splice(0)) await agent.end();
    await settings.restore();
  };
  try {
    for (const node of nodes) agents.push(await startAgent(suite, cluster, node));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
