import { createNode } from "./create-node.ts";
import type { Target } from "./http-connection.ts";
import { inParallel } from "./in-parallel.ts";
import { loadProgram } from "./load-program.ts";

/** Creates Ready nodes without an orchlet. */
export interface HollowNodesLoad {
  readonly target: Target;
  readonly nodes: number;
  readonly connections: number;
}

await loadProgram<HollowNodesLoad>(async ({ target, nodes, connections }) => {
  const resources = { cpu: "32", memory: "256Gi", pods: "110" };
  await inParallel(target, connections, nodes, async (connection, i) => {
    const name = `hollow-${i}`;
    const labels = { "orchernetes.io/hostname": name, "topology.orchernetes.io/zone": `z${i % 3}` };
    await createNode(connection, target, { name, labels, resources });
  });
  return { nodes };
});
