import { readFileSync } from "node:fs";
import type { core } from "@orchernetes/api";
import { type Client, createClient, createInformer, type Informer } from "@orchernetes/client";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { nodes, pods } from "../controllers/api/resources.ts";
import { type ManagerPair, startManagerPair } from "../controllers/managers/manager-pair.ts";
import { type PodEvent, podEvent } from "./scheduler-history.ts";

/** Pods that each node has room for; every pod requests one CPU. */
const CAPACITIES: Readonly<Record<string, number>> = { "node-1": 3, "node-2": 4, "node-3": 5, "node-4": 6 };
/** Admission that would need controllers. */
const WITHOUT = "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition";

/** An API server, two schedulers, and nodes that exist only as objects. */
export interface SchedulerCluster {
  readonly server: TestApiServer;
  readonly schedulers: ManagerPair;
  readonly client: Client;
  readonly capacities: Readonly<Record<string, number>>;
  /** The pods as the watch has them now. */
  readonly pods: Informer<core.Pod>;
  /** The events of all pods since the start. */
  readonly events: readonly PodEvent[];
  stop(): Promise<void>;
}

/** Creates the nodes; those of an earlier start are kept. */
async function createNodes(client: Client): Promise<void> {
  for (const [name, cpu] of Object.entries(CAPACITIES)) {
    await client.resource(nodes).create({ metadata: { name } });
    const amounts = { cpu: String(cpu), memory: "64Gi", pods: "100" };
    await client.request({
      method: "PATCH",
      path: `/api/v1/nodes/${name}/status`,
      contentType: "application/merge-patch+json",
      body: { status: { capacity: amounts, allocatable: amounts, conditions: [{ type: "Ready", status: "True" }] } },
    });
  }
}

/** Starts the cluster. */
export async function startSchedulerCluster(store: "embedded" | "etcd"): Promise<SchedulerCluster> {
  const server = await startApiServer({ store, flags: [WITHOUT] });
  const end = new AbortController();
  const client = createClient({ server: server.url, tls: { ca: readFileSync(server.caFile) }, token: server.token });
  try {
    await createNodes(client);
    const events: PodEvent[] = [];
    const informer = createInformer(client, pods);
    informer.addHandler({
      onAdd: (pod) => void events.push(podEvent(pod, false)),
      onUpdate: (_, pod) => void events.push(podEvent(pod, false)),
      onDelete: (pod) => void events.push(podEvent(pod, true)),
    });
    const following = informer.run(end.signal);
    await informer.waitForSync(end.signal);
    const schedulers = await startManagerPair(server, { name: "orch-scheduler", flags: [], leaseMs: 2000 });
    return {
      server,
      schedulers,
      client,
      capacities: CAPACITIES,
      pods: informer,
      events,
      async stop() {
        await schedulers.stop();
        end.abort();
        await following;
        client.close();
        await server.stop();
      },
    };
  } catch (error) {
    end.abort();
    client.close();
    await server.stop();
    throw error;
  }
}
