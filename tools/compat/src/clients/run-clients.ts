import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@orchernetes/client";
import { poll, startApiServer, startCluster } from "@orchernetes/testkit";
import type { FoundClient } from "./find-clients.ts";
import {
  type ClientRow,
  OPERATIONS,
  type Operation,
  type Outcome,
  POD_GREETING,
  POD_OPERATIONS,
  type Target,
  tryOperations,
} from "./operations.ts";

/** The options of {@link runClients}. */
export interface RunClientsOptions {
  /** Folder for files of clients. */
  readonly folder: string;
  /** Whether to start a cluster as well, for operations that need a running pod. */
  readonly cluster: boolean;
  /** Called with a line at the start of each step. */
  readonly report: (text: string) => void;
}

const POD = "greeter";
const NAMESPACE = "default";

const greeter = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: POD },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      { name: "main", image: "localhost/busybox:1", command: ["sh", "-c", `echo ${POD_GREETING}; sleep 3600`] },
    ],
  },
};

type Outcomes = Map<FoundClient, Map<Operation, Outcome>>;

/** Creates the pod and waits until it runs. */
async function startGreeter(client: Client): Promise<void> {
  const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;
  await poll({ what: "the pod to be created" }, async () => {
    await client.request({ method: "POST", path: pods, body: greeter });
    return true;
  });
  await poll({ what: "the pod to run", timeoutMs: 120_000 }, async () => {
    const pod = (await client.request({ method: "GET", path: `${pods}/${POD}` })) as {
      readonly status?: { readonly phase?: string };
    };
    return pod.status?.phase === "Running";
  });
}

/** Runs each client against an API server, in a namespace of its own. */
async function onServer(outcomes: Outcomes, { folder, report }: RunClientsOptions): Promise<void> {
  const server = await startApiServer({ authorizationMode: "Node,RBAC" });
  try {
    const admin = server.client();
    for (const [index, [client, found]] of [...outcomes].entries()) {
      if ("missing" in client) continue;
      report(client.name);
      const namespace = `client-${index}`;
      const dir = join(folder, namespace);
      mkdirSync(dir);
      const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
      await admin.request({ method: "POST", path: "/api/v1/namespaces", body });
      const target: Target = { clientConfig: server.clientConfig, namespace, dir };
      for (const [operation, outcome] of await tryOperations(client, OPERATIONS, target)) found.set(operation, outcome);
    }
  } finally {
    await server.stop();
  }
}

/** Runs the operations that need a pod, on a cluster with one node. */
async function onCluster(outcomes: Outcomes, { folder, report }: RunClientsOptions): Promise<void> {
  const cluster = await startCluster();
  try {
    await startGreeter(cluster.client());
    for (const [index, [client, found]] of [...outcomes].entries()) {
      if ("missing" in client) continue;
      report(`${client.name}: logs, exec (${cluster.nodes[0]?.runtime} runtime)`);
      const dir = join(folder, `pod-${index}`);
      mkdirSync(dir);
      const target: Target = { clientConfig: cluster.clientConfig, namespace: NAMESPACE, dir, pod: POD };
      for (const [operation, outcome] of await tryOperations(client, [...POD_OPERATIONS], target))
        found.set(operation, outcome);
    }
  } finally {
    await cluster.stop();
  }
}

/**
 * Performs all operations with all clients and returns the outcomes, in the order of the clients.
 * @throws Error when a server or a cluster does not start
 */
export async function runClients(
  clients: readonly FoundClient[],
  options: RunClientsOptions,
): Promise<readonly ClientRow[]> {
  const outcomes: Outcomes = new Map(clients.map((client) => [client, new Map()]));
  await onServer(outcomes, options);
  if (options.cluster) await onCluster(outcomes, options);
  return [...outcomes].map(([client, found]) =>
    "missing" in client ? client : { name: client.name, outcomes: found },
  );
}
