import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { poll } from "@orchernetes/testkit";

/** How long a scheduler may take for a decision, its start included. */
const DECISION_MS = 60_000;
const PODS = "/api/v1/namespaces/default/pods";

/** What a pod wants, beyond one container. */
export interface PodWishes {
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<core.PodSpec>;
}

/** The objects of a cluster that exist in the API alone: nobody runs anything, so that pods without grace are removed at once. */
export function clusterObjects(client: Client) {
  const create = (path: string, body: unknown): Promise<unknown> => client.request({ method: "POST", path, body });
  const pod = async (name: string): Promise<Stored<core.Pod>> =>
    (await client.request({ method: "GET", path: `${PODS}/${name}` })) as Stored<core.Pod>;
  return {
    create,
    pod,
    async pods(): Promise<readonly Stored<core.Pod>[]> {
      return ((await client.request({ method: "GET", path: PODS })) as { readonly items: Stored<core.Pod>[] }).items;
    },
    /** A ready node. */
    async createNode(name: string, cpu: string, zone: string, taints: readonly core.Taint[] = []): Promise<void> {
      const labels = { "orchernetes.io/hostname": name, zone };
      await create("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: { taints } });
      const capacity = { cpu, memory: "64Gi", pods: "110" };
      const status = { capacity, allocatable: capacity, conditions: [{ type: "Ready", status: "True" }] };
      const contentType = "application/merge-patch+json";
      await client.request({ method: "PATCH", path: `/api/v1/nodes/${name}/status`, contentType, body: { status } });
    },
    async createPod(name: string, { cpu = "100m", labels = {}, spec = {} }: PodWishes = {}): Promise<void> {
      const containers = [{ name: "c", image: "i", resources: { requests: { cpu } } }];
      await create(PODS, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, labels },
        spec: { terminationGracePeriodSeconds: 0, containers, ...spec },
      });
    },
    removePod: (name: string): Promise<unknown> => client.request({ method: "DELETE", path: `${PODS}/${name}` }),
    /** The node that a pod gets. */
    nodeOf: (name: string): Promise<string> =>
      poll({ what: `${name} to be bound`, timeoutMs: DECISION_MS, intervalMs: 50 }, async () => {
        const { nodeName } = (await pod(name)).spec;
        return nodeName === undefined || nodeName === "" ? undefined : nodeName;
      }),
    /** Why a pod has no node, once the scheduler says so. */
    refusalOf: (name: string): Promise<string> =>
      poll({ what: `${name} to be unschedulable`, timeoutMs: DECISION_MS, intervalMs: 50 }, async () => {
        const { conditions = [] } = (await pod(name)).status;
        return conditions.find(({ type, status }) => type === "PodScheduled" && status === "False")?.message;
      }),
    /** Waits for an event of a pod. */
    eventOf: (name: string, reason: string): Promise<core.Event> =>
      poll({ what: `event ${reason} of ${name}`, timeoutMs: DECISION_MS, intervalMs: 100 }, async () => {
        const query = { fieldSelector: `involvedObject.name=${name},reason=${reason}` };
        const path = "/api/v1/namespaces/default/events";
        const { items } = (await client.request({ method: "GET", path, query })) as { readonly items: core.Event[] };
        return items[0];
      }),
  };
}

/** @see clusterObjects */
export type ClusterObjects = ReturnType<typeof clusterObjects>;
