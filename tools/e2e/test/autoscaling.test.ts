import { poll, startCluster, type TestCluster } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Kubectl, kubectlFor } from "../src/kubectl.ts";
import { cannotRun, type Flavour, hasContainerd, kubectlPath, title } from "../src/prerequisites.ts";
import type { Deployment, List, Pod } from "../src/types.ts";

const flavour: Flavour = { store: "embedded", runtime: hasContainerd ? "containerd" : "process" };
const skip = cannotRun(flavour) !== undefined;

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

interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface Autoscaler {
  readonly status?: {
    readonly currentMetrics?: readonly {
      readonly resource?: { readonly name: string; readonly current: { readonly averageUtilization?: number } };
    }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

describe(title("autoscaling", flavour), () => {
  let cluster: TestCluster;
  let kubectl: Kubectl;
  const apply = (object: NamedObject) =>
    cluster.client().request({
      method: "PATCH",
      path: `/apis/${pathOf(object)}`,
      query: { fieldManager: "test", force: true },
      contentType: "application/apply-patch+yaml",
      body: JSON.stringify(object),
    });
  const pathOf = ({ apiVersion, kind, metadata }: NamedObject) =>
    `${apiVersion}/namespaces/default/${kind.toLowerCase()}s/${metadata.name}`;
  const replicas = async () => (await kubectl.json<Deployment>("get", "deployment", "load")).spec.replicas;
  const scaledTo = (count: number) =>
    poll({ what: `${count} replicas`, timeoutMs: 180_000, intervalMs: 500 }, async () => (await replicas()) === count);
  const oldestPod = async () => {
    const sorted = ["--sort-by=.metadata.creationTimestamp"];
    const { items } = await kubectl.json<List<Pod>>("get", "pods", "-l", "app=load", ...sorted);
    return items[0]?.metadata.name ?? "";
  };
  const setBusy = async (pod: string, busy: boolean) =>
    kubectl("exec", pod, "--", "sh", "-c", busy ? "touch /tmp/busy-$HOSTNAME" : "rm /tmp/busy-$HOSTNAME");

  beforeAll(async () => {
    if (skip) return;
    cluster = await startCluster({ ...flavour, metrics: true });
    kubectl = kubectlFor(kubectlPath ?? "", cluster);
    await apply(deployment);
    await apply(autoscaler);
  });
  afterAll(() => cluster?.stop());

  test.skipIf(skip)("top shows nodes and pods", async () => {
    const shown = await poll({ what: "the usage of a pod", timeoutMs: 120_000, intervalMs: 500 }, () =>
      kubectl("top", "pods", "--containers").catch(() => undefined),
    );
    expect(shown).toMatch(/^load-\S+\s+main\s+\d+m\s+\d+Mi\s*$/m);
    expect(await kubectl("top", "nodes")).toMatch(/^node-1\s+\d+m\s+\d+%\s+\d+Mi\s+\d+%\s*$/m);
  });

  test.skipIf(skip)("a deployment is scaled up under load, and down after it", async () => {
    const pod = await oldestPod();
    await setBusy(pod, true);
    await scaledTo(3);
    const { status } = await kubectl.json<Autoscaler>("get", "horizontalpodautoscaler", "load");
    const usage = status?.currentMetrics?.map(({ resource }) => [resource?.name, resource?.current.averageUtilization]);
    expect(usage).toEqual([
      ["cpu", expect.any(Number)],
      ["memory", expect.any(Number)],
    ]);
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: "ScalingActive", status: "True", reason: "ValidMetricFound" }),
    );
    await setBusy(pod, false);
    await scaledTo(1);
    const events = await kubectl("get", "events", "--field-selector=reason=SuccessfulRescale");
    expect(events).toContain("New size: 3; reason: cpu resource utilization (percentage of request) above target");
    expect(events).toContain("New size: 1; reason: All metrics below target");
  });

  test.skipIf(skip)("a metrics server that was killed is started again, and the API is available again", async () => {
    cluster.kill9("metrics-server");
    expect(await cluster.up()).toContain("metrics-server healthy");
    expect(await kubectl("get", "apiservices", "v1beta1.metrics.o8s.io")).toMatch(/True/);
  });
});
