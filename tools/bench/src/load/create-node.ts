import { type HttpConnection, type Target, writeRequest } from "./http-connection.ts";

/** A node without an orchlet. */
export interface HollowNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resources: Readonly<Record<string, string>>;
}

/** Creates a node that is ready and has no taints. @throws Error if the server answers with an unexpected status */
export async function createNode(connection: HttpConnection, target: Target, node: HollowNode): Promise<void> {
  const { name, labels, resources } = node;
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const heartbeat = { lastHeartbeatTime: now, lastTransitionTime: now };
  const condition = { type: "Ready", status: "True", reason: "Hollow", ...heartbeat };
  const body = JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name, labels } });
  const made = await connection.send(writeRequest(target, "POST", "/api/v1/nodes", body), true);
  if (made.status !== 201) throw new Error(`creating node ${name}: status ${made.status}, 201 is expected`);
  const status = { capacity: resources, allocatable: resources, conditions: [condition] };
  const reported = JSON.stringify({ ...JSON.parse(made.body), status });
  const ready = await connection.send(writeRequest(target, "PUT", `/api/v1/nodes/${name}/status`, reported), true);
  if (ready.status !== 200) throw new Error(`status of node ${name}: status ${ready.status}, 200 is expected`);
  const current = JSON.parse(ready.body);
  if (current.spec?.taints === undefined) return;
  // Admission taints new nodes as not ready; the controller that removes the taint is not running.
  delete current.spec.taints;
  const untainted = writeRequest(target, "PUT", `/api/v1/nodes/${name}`, JSON.stringify(current));
  const answer = await connection.send(untainted);
  if (answer.status !== 200) throw new Error(`taints of node ${name}: status ${answer.status}, 200 is expected`);
}
