import type { apps, core } from "@orchernetes/api";
import type { OwnerReference, Stored } from "@orchernetes/apimachinery";

/** The properties of a pod that matter in a test. */
export interface PodSketch {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly phase?: "Pending" | "Running" | "Failed" | "Succeeded" | "Unknown";
  readonly ready?: boolean;
  readonly readySince?: string;
  readonly ip?: string;
  readonly deleting?: boolean;
  readonly owner?: OwnerReference;
  readonly created?: string;
}

const epoch = "2024-01-01T00:00:00Z";

/** Metadata of an object with this name. */
export function meta(name: string, namespace = "ns"): Stored<{ metadata: object }>["metadata"] {
  return { name, namespace, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: epoch };
}

/** A running pod of app "x". */
export function pod(name: string, sketch: PodSketch = {}): Stored<core.Pod> {
  const readySince = sketch.readySince ?? epoch;
  return {
    metadata: {
      ...meta(name, sketch.namespace),
      creationTimestamp: sketch.created ?? epoch,
      labels: sketch.labels ?? { app: "x" },
      ...(sketch.deleting ? { deletionTimestamp: epoch } : {}),
      ...(sketch.owner === undefined ? {} : { ownerReferences: [sketch.owner] }),
    },
    spec: { containers: [], ...(sketch.node === undefined ? {} : { nodeName: sketch.node }) },
    status: {
      phase: sketch.phase ?? "Running",
      ...(sketch.ip === undefined ? {} : { podIP: sketch.ip, podIPs: [{ ip: sketch.ip }] }),
      conditions: [
        {
          type: "Ready",
          status: sketch.ready ? "True" : "False",
          lastTransitionTime: sketch.ready ? readySince : epoch,
        },
      ],
    },
  };
}

/** The properties of a ReplicaSet that matter in a test. */
export interface ReplicaSetSketch {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly generation?: number;
  readonly deleting?: boolean;
  readonly status?: Partial<apps.ReplicaSetStatus>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly template?: core.PodTemplateSpec;
  readonly labels?: Readonly<Record<string, string>>;
  readonly created?: string;
}

/** A pod template of app "x" with one container of this image. */
export function template(image = "i:1", labels: Readonly<Record<string, string>> = { app: "x" }): core.PodTemplateSpec {
  return { metadata: { labels }, spec: { containers: [{ name: "c", image, resources: {} }] } };
}

/** A ReplicaSet of app "x". */
export function replicaSet(name: string, sketch: ReplicaSetSketch = {}): Stored<apps.ReplicaSet> {
  return {
    metadata: {
      ...meta(name),
      creationTimestamp: sketch.created ?? epoch,
      generation: sketch.generation ?? 1,
      ...(sketch.labels === undefined ? {} : { labels: sketch.labels }),
      ...(sketch.annotations === undefined ? {} : { annotations: sketch.annotations }),
      ...(sketch.deleting ? { deletionTimestamp: epoch } : {}),
    },
    spec: {
      replicas: sketch.replicas ?? 1,
      ...(sketch.minReadySeconds === undefined ? {} : { minReadySeconds: sketch.minReadySeconds }),
      selector: { matchLabels: { app: "x" } },
      template: sketch.template ?? template(),
    },
    status: { replicas: 0, observedGeneration: sketch.generation ?? 1, ...sketch.status },
  };
}

/** The properties of a Deployment that matter in a test. */
export interface DeploymentSketch {
  readonly replicas?: number;
  readonly image?: string;
  readonly strategy?: apps.DeploymentStrategy;
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly paused?: boolean;
  readonly deadlineSeconds?: number;
  readonly historyLimit?: number;
  readonly generation?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: apps.DeploymentStatus;
}

/** A Deployment of app "x". */
export function deployment(name: string, sketch: DeploymentSketch = {}): Stored<apps.Deployment> {
  return {
    metadata: {
      ...meta(name),
      generation: sketch.generation ?? 1,
      ...(sketch.annotations === undefined ? {} : { annotations: sketch.annotations }),
    },
    spec: {
      replicas: sketch.replicas ?? 1,
      selector: { matchLabels: { app: "x" } },
      template: template(sketch.image),
      strategy: sketch.strategy ?? {
        type: "RollingUpdate",
        rollingUpdate: { maxSurge: sketch.maxSurge ?? "25%", maxUnavailable: sketch.maxUnavailable ?? "25%" },
      },
      revisionHistoryLimit: sketch.historyLimit ?? 10,
      progressDeadlineSeconds: sketch.deadlineSeconds ?? 600,
      ...(sketch.paused ? { paused: true } : {}),
    },
    status: sketch.status ?? {},
  };
}

/** A service of app "x" on port 80. */
export function service(name: string, spec: Partial<core.ServiceSpec> = {}): Stored<core.Service> {
  return {
    metadata: meta(name),
    spec: {
      type: "ClusterIP",
      clusterIP: "10.0.0.1",
      ipFamilies: ["IPv4"],
      selector: { app: "x" },
      ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }],
      ...spec,
    },
    status: { loadBalancer: {} },
  };
}
