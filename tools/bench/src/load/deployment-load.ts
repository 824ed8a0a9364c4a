import { getRequest, HttpConnection, type Target, writeRequest } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";
import { NAMESPACE } from "./objects.ts";
import { createMarkerScanner, openWatch } from "./watch-stream.ts";

/** Creates deployments and waits until all their pods exist. */
export interface DeploymentLoad {
  readonly target: Target;
  readonly deployments: number;
  readonly replicas: number;
  readonly prefix: string;
  readonly timeoutSeconds: number;
}

/** The result; seconds from the first create to the last pod. */
export interface DeploymentOutcome {
  readonly pods: number;
  readonly seconds: number;
}

function deploymentJson(name: string, replicas: number): string {
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "localhost/pause:1" }] },
      },
    },
  });
}

await loadProgram<DeploymentLoad>(async ({ target, deployments, replicas, prefix, timeoutSeconds }) => {
  const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
  const open = await Promise.all(Array.from({ length: Math.min(deployments, 32) }, () => HttpConnection.open(target)));
  const [first] = open;
  if (first === undefined) throw new Error("at least one deployment is needed");
  const list = await first.send(getRequest(target, `${pods}?limit=1`), true);
  const { resourceVersion } = (JSON.parse(list.body) as { metadata: { resourceVersion: string } }).metadata;
  let added = 0;
  let last = 0;
  let complete: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    complete = resolve;
  });
  const scan = createMarkerScanner('{"type":"ADDED"', 0, () => {
    added++;
    last = performance.now();
    if (added === deployments * replicas) complete();
  });
  await openWatch(target, `${pods}?watch=1&resourceVersion=${resourceVersion}`, scan);
  const started = performance.now();
  let next = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (next < deployments) {
        const name = `${prefix}-${next++}`;
        const { status } = await connection.send(writeRequest(target, "POST", path, deploymentJson(name, replicas)));
        if (status !== 201) throw new Error(`creating Deployment ${name}: status ${status}, 201 is expected`);
      }
    }),
  );
  const timeout = setTimeout(complete, timeoutSeconds * 1000);
  await all;
  clearTimeout(timeout);
  return { pods: added, seconds: (last - started) / 1000 } satisfies DeploymentOutcome;
});
