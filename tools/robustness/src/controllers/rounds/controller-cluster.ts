import { readFileSync } from "node:fs";
import { type Client, createClient } from "@orchernetes/client";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { nodes } from "../api/resources.ts";
import { type ManagerPair, startManagerPair } from "../managers/manager-pair.ts";
import { PodRunner } from "../pods/pod-runner.ts";
import { Recorder } from "../recording/recorder.ts";

/** The nodes, which exist only as objects. */
const NODES = ["node-1", "node-2", "node-3", "node-4", "node-5"];
/** Admission that would need more controllers: tokens of service accounts, and taints of nodes that have no agent. */
const WITHOUT = "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition";

/** An API server, two controller managers, and pods that run without nodes. */
export interface ControllerCluster {
  readonly server: TestApiServer;
  readonly managers: ManagerPair;
  readonly recorder: Recorder;
  readonly client: Client;
  stop(): Promise<void>;
}

/**
 * Starts the cluster.
 *
 * @param random returns numbers in [0, 1), which determine what becomes of pods
 */
export async function startControllerCluster(
  store: "embedded" | "etcd",
  random: () => number,
): Promise<ControllerCluster> {
  const server = await startApiServer({ store, flags: [WITHOUT] });
  const end = new AbortController();
  const { signal } = end;
  const client = createClient({ server: server.url, tls: { ca: readFileSync(server.caFile) }, token: server.token });
  try {
    for (const name of NODES) await client.resource(nodes).create({ metadata: { name } });
    const runner = new PodRunner({ client, nodes: NODES, random, signal });
    const onPod = runner.observe.bind(runner);
    const recorder = new Recorder({ client, nodes: NODES.length, onPod });
    const recording = recorder.run(signal);
    const managers = await startManagerPair(server);
    return {
      server,
      managers,
      recorder,
      client,
      async stop() {
        await managers.stop();
        end.abort();
        await recording;
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
