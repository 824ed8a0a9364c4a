import { HttpConnection, type Target, writeRequest } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";

/** Creates Ready nodes that nothing runs on. */
export interface HollowNodesLoad {
  readonly target: Target;
  readonly nodes: number;
  readonly connections: number;
}

await loadProgram<HollowNodesLoad>(async ({ target, nodes, connections }) => {
  const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(target)));
  const resources = { cpu: "32", memory: "256Gi", pods: "110" };
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const ready = { type: "Ready", status: "True", reason: "Hollow", lastHeartbeatTime: now, lastTransitionTime: now };
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
          status: { capacity: resources, allocatable: resources, conditions: [ready] },
        };
        const update = writeRequest(target, "PUT", `/api/v1/nodes/${name}/status`, JSON.stringify(node));
        const { status } = await connection.send(update);
        if (status !== 200) throw new Error(`status of node ${name}: status ${status}, 200 is expected`);
      }
    }),
  );
  for (const connection of open) connection.close();
  return { nodes };
});
