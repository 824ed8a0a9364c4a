import type { FakeApiServer } from "@orchernetes/client/testing";
import { noQueueMetrics } from "@orchernetes/controller";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { beforeEach, expect, test, vi } from "vitest";
import { serverForTest, startControllers } from "../testing/start-controller.ts";
import { controllers } from "./index.ts";

/** Names of the queues, which metrics bear, and the resources that are followed. */
const wanted: Readonly<Record<string, { readonly queues: readonly string[]; readonly follows: readonly string[] }>> = {
  // Without a cloud provider there is nothing to do.
  service: { queues: [], follows: [] },
  route: { queues: [], follows: [] },
  "cloud-node-lifecycle": { queues: [], follows: [] },
  // Without a key there is nothing to do.
  "serviceaccount-token": { queues: [], follows: [] },
  serviceaccount: { queues: ["serviceaccount"], follows: ["namespaces", "serviceaccounts"] },
  "root-ca-cert-publisher": { queues: ["root-ca-cert-publisher"], follows: ["configmaps", "namespaces"] },
  namespace: { queues: ["namespace"], follows: ["namespaces"] },
  endpoint: { queues: ["endpoint"], follows: ["endpoints", "pods", "services"] },
  endpointslice: { queues: ["endpointslice"], follows: ["endpointslices", "nodes", "pods", "services"] },
  endpointslicemirroring: {
    queues: ["endpoint_slice_mirroring"],
    follows: ["endpoints", "endpointslices", "services"],
  },
  replicationcontroller: { queues: ["replicationcontroller"], follows: ["pods", "replicationcontrollers"] },
  replicaset: { queues: ["replicaset"], follows: ["pods", "replicasets"] },
  deployment: { queues: ["deployment"], follows: ["deployments", "pods", "replicasets"] },
  horizontalpodautoscaling: { queues: ["horizontalpodautoscaler"], follows: ["horizontalpodautoscalers", "pods"] },
  podgc: { queues: [], follows: ["nodes", "pods"] },
  // It is off without a flag.
  nodeipam: { queues: [], follows: [] },
  nodelifecycle: {
    queues: ["node_lifecycle_controller", "node_lifecycle_controller_pods"],
    follows: ["leases", "nodes", "pods"],
  },
  resourcequota: {
    queues: ["resourcequota_primary"],
    follows: ["persistentvolumeclaims", "pods", "resourcequotas", "services"],
  },
  disruption: {
    queues: ["disruption"],
    follows: ["deployments", "poddisruptionbudgets", "pods", "replicasets", "replicationcontrollers", "statefulsets"],
  },
  daemonset: { queues: ["daemonset"], follows: ["controllerrevisions", "daemonsets", "nodes", "pods"] },
  statefulset: {
    queues: ["statefulset"],
    follows: ["controllerrevisions", "persistentvolumeclaims", "pods", "statefulsets"],
  },
  job: { queues: ["job", "job_orphan_pod"], follows: ["jobs", "pods"] },
  cronjob: { queues: ["cronjob"], follows: ["cronjobs", "jobs"] },
  "persistentvolume-binder": {
    queues: ["claims", "volumes"],
    follows: ["persistentvolumeclaims", "persistentvolumes", "pods", "storageclasses"],
  },
  "persistentvolume-expander": {
    queues: ["volume_expand"],
    follows: ["persistentvolumeclaims", "persistentvolumes"],
  },
  attachdetach: {
    queues: ["attachdetach_nodes", "attachdetach_volumes"],
    follows: [
      "csidrivers",
      "csinodes",
      "nodes",
      "persistentvolumeclaims",
      "persistentvolumes",
      "pods",
      "volumeattachments",
    ],
  },
  ttl: { queues: ["ttlcontroller"], follows: ["nodes"] },
  "ephemeral-volume": { queues: ["ephemeral_volume"], follows: ["persistentvolumeclaims", "pods"] },
  "pvc-protection": { queues: ["pvcprotection"], follows: ["persistentvolumeclaims", "pods"] },
  "pv-protection": { queues: ["pvprotection"], follows: ["persistentvolumes"] },
  "ttl-after-finished": { queues: ["ttl_jobs_to_delete"], follows: ["jobs"] },
  csrsigning: { queues: [], follows: [] },
  csrapproving: { queues: ["certificate"], follows: ["certificatesigningrequests"] },
  csrcleaner: { queues: ["csrcleaner"], follows: ["certificatesigningrequests"] },
  bootstrapsigner: { queues: ["bootstrap_signer_queue"], follows: ["configmaps", "secrets"] },
  tokencleaner: { queues: ["token_cleaner"], follows: ["secrets"] },
  // Its feature gates are off.
  "storage-version-gc": { queues: [], follows: [] },
  "resource-claim-controller": { queues: [], follows: [] },
  "clusterrole-aggregation": { queues: ["ClusterRoleAggregator"], follows: ["clusterroles"] },
  garbagecollector: {
    queues: ["garbage_collector_attempt_to_delete", "garbage_collector_attempt_to_orphan"],
    follows: ["secrets"],
  },
};

const documents: Readonly<Record<string, unknown>> = {
  "/api": { versions: ["v1"] },
  "/apis": { groups: [] },
  "/api/v1": {
    resources: [{ name: "secrets", kind: "Secret", namespaced: true, verbs: ["get", "list", "watch", "delete"] }],
  },
};

let server: FakeApiServer;
let watched: Set<string>;
beforeEach(async () => {
  watched = new Set();
  server = await serverForTest();
  server.hook = ({ path, query }) => {
    if (query.has("watch")) watched.add(path.split("/").at(-1) ?? "");
    return path in documents ? { status: 200, body: documents[path] } : undefined;
  };
});

test.each(controllers.map((controller) => [controller.name, controller] as const))(
  "%s follows its resources, works on its queues, and ends when it is asked to",
  async (name, controller) => {
    const queues: string[] = [];
    const errors: unknown[] = [];
    const stop = startControllers(server, [controller], {}, systemClock, {
      queueMetrics: { ...noQueueMetrics, follow: (queue) => void queues.push(queue) },
      logger: { ...silentLogger, error: (error) => void errors.push(error) },
    });
    try {
      await vi.waitFor(() => expect([...watched].sort()).toEqual(wanted[name]?.follows), { timeout: 4_000 });
      expect(queues.sort()).toEqual(wanted[name]?.queues);
    } finally {
      await stop();
    }
    expect(errors).toEqual([]);
  },
);

const sharedAccounts = ["certificate-controller", "node-controller"];

test("names are unique, and so are service accounts", () => {
  for (const of of ["name", "serviceAccount"] as const) {
    const all = controllers
      .map((controller) => controller[of])
      // The controllers of the certificates API share one account, and so do those of nodes, as in the original.
      .filter((text, i, texts) => !sharedAccounts.includes(text) || texts.indexOf(text) === i);
    expect(all.filter((text, i) => all.indexOf(text) !== i)).toEqual([]);
  }
});

test("no controller is built in and absent", () => {
  const names = controllers.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
