import { apps, core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { poll } from "@orchernetes/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import type { SharedCluster } from "../../src/shared-cluster.ts";

const NAMESPACE = "autoscaling";

/** Uses some percent of a processor while there is a file at its path, and next to nothing otherwise. */
const load = `trap 'exit 0' TERM INT
while :; do
  if [ -e /tmp/busy-$HOSTNAME ]; then i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.1; else sleep 1; fi
done`;

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "load" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "load" } },
    template: {
      metadata: { labels: { app: "load" } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: "main",
            image: "localhost/busybox:1",
            imagePullPolicy: "IfNotPresent",
            command: ["sh", "-c", load],
            resources: { requests: { cpu: "50m", memory: "100Mi" } },
          },
        ],
      },
    },
  },
};

const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "load" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "load" },
    minReplicas: 1,
    maxReplicas: 3,
    // By default the highest recommendation of the last five minutes counts.
    behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
    metrics: ["cpu", "memory"].map((name) => ({
      type: "Resource",
      resource: { name, target: { type: "Utilization", averageUtilization: 60 } },
    })),
  },
};

interface Autoscaler {
  readonly status?: {
    readonly currentMetrics?: readonly {
      readonly resource?: { readonly name: string; readonly current: { readonly averageUtilization?: number } };
    }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

/** What was seen of a deployment that was scaled up under load, and down after it. */
interface Scaling {
  /** Of the autoscaler, with all replicas. */
  readonly status: Autoscaler["status"];
  /** The messages of its events. */
  readonly events: readonly (string | undefined)[];
}

const path = "/apis/autoscaling/v2/namespaces/autoscaling/horizontalpodautoscalers";

async function scaleUpAndDown(shared: SharedCluster, client: Client): Promise<Scaling> {
  const deployments = client.resource<apps.Deployment>(apps.deployments).namespace(NAMESPACE);
  const pods = client.resource<core.Pod>(core.pods).namespace(NAMESPACE);
  const kubectl = shared.kubectl(NAMESPACE);
  const scaledTo = (count: number) =>
    poll(
      { what: `${count} replicas`, timeoutMs: 180_000 },
      async () => (await deployments.get("load")).spec?.replicas === count,
    );
  const pod = await poll({ what: "a running pod", timeoutMs: 120_000 }, async () => {
    const { items } = await pods.list();
    return items.find(({ status }) => status?.phase === "Running")?.metadata.name;
  });
  const setBusy = (busy: boolean) =>
    kubectl("exec", pod, "--", "sh", "-c", busy ? "touch /tmp/busy-$HOSTNAME" : "rm /tmp/busy-$HOSTNAME");
  await setBusy(true);
  await scaledTo(3);
  const status = await poll({ what: "the usage of all replicas" }, async () => {
    const found = (await client.request({ method: "GET", path: `${path}/load` })) as Autoscaler;
    // It is not known while there are no metrics of new pods.
    const known = found.status?.currentMetrics?.filter(({ resource }) => resource !== undefined);
    return known?.length === 2 && found.status;
  });
  await setBusy(false);
  await scaledTo(1);
  // An event is written after what it tells about.
  const rescales = client.resource<core.Event>(core.events).namespace(NAMESPACE);
  const events = await poll({ what: "the last event" }, async () => {
    const { items } = await rescales.list();
    const messages = items.filter(({ reason }) => reason === "SuccessfulRescale").map(({ message }) => message);
    return messages.some((message) => message?.startsWith("New size: 1;")) && messages;
  });
  return { status, events };
}

/**
 * Begins to scale a deployment when the cluster is up. Metrics are measured, and looked at, every 15 seconds: other suites run
 * meanwhile. {@link autoscalingSuite} tells what became of it.
 */
export function beginAutoscaling(shared: SharedCluster): () => Promise<Scaling> {
  let scaling: Promise<Scaling> | undefined;
  beforeAll(async () => {
    const client = shared.cluster.client();
    await shared.createNamespace(NAMESPACE);
    await client
      .resource<apps.Deployment>(apps.deployments)
      .namespace(NAMESPACE)
      .create(deployment as never);
    await client.request({ method: "POST", path, body: autoscaler });
    scaling = scaleUpAndDown(shared, client);
    // The test that waits for it reports a failure.
    scaling.catch(() => undefined);
  });
  return async () => {
    if (scaling === undefined) throw new Error("nothing has been started");
    return await scaling;
  };
}

/** The metrics of nodes and pods, and what became of what {@link beginAutoscaling} began. */
export function autoscalingSuite(shared: SharedCluster, scaling: () => Promise<Scaling>): void {
  describe("autoscaling", () => {
    const kubectl = shared.kubectl(NAMESPACE);

    test("a deployment is scaled up under load, and down after it", async () => {
      const { status, events } = await scaling();
      const usage = status?.currentMetrics?.map(({ resource }) => [
        resource?.name,
        resource?.current.averageUtilization,
      ]);
      expect(usage).toEqual([
        ["cpu", expect.any(Number)],
        ["memory", expect.any(Number)],
      ]);
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: "ScalingActive", status: "True", reason: "ValidMetricFound" }),
      );
      expect(events).toContain("New size: 3; reason: cpu resource utilization (percentage of request) above target");
      expect(events).toContain("New size: 1; reason: All metrics below target");
    });

    test("top shows nodes and pods", async () => {
      expect(await kubectl("top", "pods", "--containers")).toMatch(/^load-\S+\s+main\s+\d+m\s+\d+Mi\s*$/m);
      const nodes = await kubectl("top", "nodes");
      for (const { name } of shared.cluster.nodes)
        expect(nodes).toMatch(new RegExp(`^${name}\\s+\\d+m\\s+\\d+%\\s+\\d+Mi\\s+\\d+%\\s*$`, "m"));
    });

    test("a metrics server that was killed is started again, and the API is available again", async () => {
      shared.cluster.kill9("metrics-server");
      expect(await shared.cluster.up()).toContain("metrics-server healthy");
      expect(await kubectl("get", "apiservices", "v1beta1.metrics.o8s.io")).toMatch(/True/);
    });
  });
}
