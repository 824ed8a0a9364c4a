import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { freePort, poll, type RunningDaemon, startDaemon, type TestApiServer } from "@orchernetes/testkit";

/** A client configuration file with the identity, and so the rights, that a scheduler has in a cluster. */
export function schedulerClientConfig(server: TestApiServer): string {
  const config = JSON.parse(readFileSync(server.clientConfig, "utf8")) as { users: { user: Record<string, string> }[] };
  for (const { user } of config.users) user.as = "system:orch-scheduler";
  const file = join(server.dir, "scheduler.orchconfig");
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** Starts a scheduler from source against a server; leader election is off unless `flags` say otherwise. */
export async function startScheduler(
  server: TestApiServer,
  dir: string,
  flags: readonly string[] = [],
): Promise<RunningDaemon> {
  const common = [
    `--orchconfig=${schedulerClientConfig(server)}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${await freePort()}`,
  ];
  return startDaemon({ name: "orch-scheduler", flags: [...common, ...flags], dir });
}

/** What a scheduler serves at a path that needs no authorization. */
export const pageOf = (port: number, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, rejectUnauthorized: false }, (answer) =>
      text(answer).then(resolve, reject),
    );
    sent.on("error", reject).end();
  });

/** The few writes and reads that these tests need, in one namespace. */
export function world(client: Client, namespace: string) {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const get = (path: string, query: Record<string, string> = {}) => client.request({ method: "GET", path, query });
  const list = async (): Promise<Stored<core.Pod>[]> => ((await get(pods)) as { items: Stored<core.Pod>[] }).items;
  const pod = async (name: string): Promise<Stored<core.Pod>> => (await get(`${pods}/${name}`)) as Stored<core.Pod>;
  return {
    list,
    pod,
    async setUp() {
      await client.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
    },
    /** A Ready node without taints. */
    async addNode(name: string, cpu: string, spec: core.NodeSpec = {}, labels: Record<string, string> = {}) {
      const path = "/api/v1/nodes";
      const body = { metadata: { name, labels: { "orchernetes.io/hostname": name, ...labels } }, spec };
      await client.request({ method: "POST", path, body });
      const capacity = { cpu, memory: "64Gi", pods: "1000" };
      await client.request({
        method: "PATCH",
        path: `${path}/${name}/status`,
        contentType: "application/merge-patch+json",
        body: { status: { capacity, allocatable: capacity, conditions: [{ type: "Ready", status: "True" }] } },
      });
      await client.request({
        method: "PATCH",
        path: `${path}/${name}`,
        contentType: "application/merge-patch+json",
        body: { spec: { taints: spec.taints ?? null } },
      });
    },
    patchNode: (name: string, body: unknown) =>
      client.request({
        method: "PATCH",
        path: `/api/v1/nodes/${name}`,
        contentType: "application/merge-patch+json",
        body,
      }),
    deleteNode: (name: string) => client.request({ method: "DELETE", path: `/api/v1/nodes/${name}` }),
    create: (name: string, cpu: string, spec: Partial<core.PodSpec> = {}, labels: Record<string, string> = {}) =>
      client.request({
        method: "POST",
        path: pods,
        body: {
          metadata: { name, labels },
          spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }], ...spec },
        },
      }),
    remove: (name: string) =>
      client.request({ method: "DELETE", path: `${pods}/${name}`, body: { gracePeriodSeconds: 0 } }),
    /** Where a pod ends up. */
    nodeOf: (name: string, timeoutMs = 45_000): Promise<string> =>
      poll({ what: `${name} to be bound`, timeoutMs, intervalMs: 30 }, async () => (await pod(name)).spec.nodeName),
    allBound: (count: number, timeoutMs = 45_000): Promise<Stored<core.Pod>[]> =>
      poll({ what: `${count} pods to be bound`, timeoutMs }, async () => {
        const all = await list();
        return all.length === count && all.every(({ spec }) => spec.nodeName) && all;
      }),
    /** The PodScheduled condition, once it says no. */
    unscheduled: (name: string): Promise<core.PodCondition> =>
      poll({ what: `${name} to be unschedulable`, timeoutMs: 45_000, intervalMs: 30 }, async () =>
        (await pod(name)).status.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False"),
      ),
    event: (name: string, reason: string): Promise<core.Event> =>
      poll({ what: `event ${reason} of ${name}`, timeoutMs: 45_000, intervalMs: 50 }, async () => {
        const fieldSelector = `involvedObject.name=${name},reason=${reason}`;
        const { items } = (await get(`/api/v1/namespaces/${namespace}/events`, { fieldSelector })) as {
          items: core.Event[];
        };
        return items[0];
      }),
  };
}

/** @see world */
export type World = ReturnType<typeof world>;
