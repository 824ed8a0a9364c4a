import { startApiServer, startCluster } from "@orchernetes/testkit";
import { adminToken } from "./admin-token.ts";
import type { Options } from "./options.ts";
import { type ReplayReport, replay } from "./replay.ts";

/** One replay of the recordings. */
export interface Run {
  readonly store: "embedded" | "etcd";
  readonly against: "API server" | "cluster";
  readonly report: ReplayReport;
}

const flags = ["--enable-admission-plugins=NodeRestriction", "--allow-privileged=true"];

/** Replays against an API server only. */
async function alone(options: Options, store: Run["store"]): Promise<Run> {
  const server = await startApiServer({ store, authorizationMode: "Node,RBAC", flags });
  try {
    const { url, token } = server;
    const report = await replay(options, { url, token, have: ["node-restriction"] });
    if (!server.running) throw new Error(`the API server crashed:\n${server.log(30)}`);
    return { store, against: "API server", report };
  } finally {
    await server.stop();
  }
}

/** Replays against a whole cluster. */
async function whole(options: Options, store: Run["store"]): Promise<Run> {
  const cluster = await startCluster({ store });
  try {
    const token = await adminToken(cluster.client());
    const report = await replay(options, { url: cluster.url, token, have: ["node-restriction"] });
    return { store, against: "cluster", report };
  } finally {
    await cluster.stop();
  }
}

/** Performs all requested runs, one after the other. */
export async function runAll(options: Options): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (const store of options.stores) {
    process.stderr.write(`\n=== API server alone, ${store} store\n`);
    runs.push(await alone(options, store));
    if (!options.cluster) continue;
    process.stderr.write(`\n=== whole cluster, ${store} store\n`);
    runs.push(await whole(options, store));
  }
  return runs;
}
