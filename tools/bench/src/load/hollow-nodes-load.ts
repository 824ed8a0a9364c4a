import { HttpConnection, type Target, writeRequest } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";

/** Creates Ready nodes without an orchlet. */
export interface HollowNodesLoad {
  readonly target: Target;
  readonly nodes: number;
  readonly connections: number;
}

await loadProgram<HollowNodesLoad>(async ({ target, nodes, connections }) => {
  const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(target)));
  const resources = { cpu: "32", memory: "256Gi", pods: "110" };
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const condition = {
    type: "Ready",
    status: "True",
    reason: "Hollow",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  let next = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (next < nodes) {
        const i = next++;
        const name = `hollow-${i}`;
        const labels = { "orchernetes.io/hostname": name, "topology.orchernetes.io/zone": `z${i % 3}` };
        const body = JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name, labels } });
        const made = await connection.send(writeRequest(target, "POST", "/api/v1/nodes", body), true);
        if (made.status !== 201) throw new Error(`creating node ${name}: status ${made.status}, 201 is expected`);
        const node = {
          ...JSON.parse(made.body),
          status: { capacity: resources, allocatable: resources, conditions: [condition] },
        };
        const update = writeRequest(target, "PUT", `/api/v1/nodes/${name}/status`, JSON.stringify(node));
        const ready = await connection.send(update, true);
        if (ready.status !== 200) throw new Error(`status of node ${name}: status ${ready.status}, 200 is expected`);
        const current = JSON.parse(ready.body);
        if (current.spec?.taints === undefined) continue;
        // Admission taints new nodes as not ready; the controller that removes the taint is not running.
        delete current.spec.taints;
        const untaint = writeRequest(target, "PUT", `/api/v1/nodes/${name}`, JSON.stringify(current));
        const { status } = await connection.send(untaint);
        if (status !== 200) throw new Error(`taints of node ${name}: status ${status}, 200 is expected`);
      }
    }),
  );
  for (const connection of open) connection.close();
  return { nodes };
});
