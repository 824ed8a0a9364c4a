/** An object that a client creates. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly [field: string]: unknown;
}

/** Name of all objects. */
export const NAME = "stock";

/** Labels of all objects. */
export const LABELS = { app: NAME };

const template = {
  metadata: { labels: LABELS },
  spec: { containers: [{ name: "main", image: "localhost/busybox:1", env: [{ name: "FIRST", value: "1" }] }] },
};

/**
 * Objects of API groups whose names are the same in both dialects: for these, a client uses the types compiled into
 * it.
 */
export function manifests(namespace: string): readonly Manifest[] {
  const metadata = { name: NAME, namespace, labels: LABELS };
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { color: "red", shape: "round" } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: LABELS, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
    },
    { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: deploymentSpec(2) },
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata,
      spec: {
        schedule: "*/5 * * * *",
        jobTemplate: { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    },
    {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata,
      spec: { maxReplicas: 4, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: NAME } },
    },
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata,
      spec: { minAvailable: 1, selector: { matchLabels: LABELS } },
    },
  ];
}

const deploymentSpec = (replicas: number) => ({ replicas, selector: { matchLabels: LABELS }, template });

/** The patches that clients send, and their expected results. */
export const PATCHES = {
  /** For the ConfigMap: `data` becomes `{color: "green", shape: "round"}`. */
  json: [
    { op: "test", path: "/data/color", value: "red" },
    { op: "replace", path: "/data/color", value: "green" },
  ],
  /** For the ConfigMap: `data` becomes `{color: "green", size: "big"}`. */
  merge: { data: { shape: null, size: "big" } },
  /** For the Deployment: its container gets the variable SECOND in addition to FIRST. */
  strategic: {
    spec: { template: { spec: { containers: [{ name: "main", env: [{ name: "SECOND", value: "2" }] }] } } },
  },
} as const;

/** A ConfigMap to apply. */
export const appliedConfigMap = (namespace: string, name: string, data: Record<string, string>): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels: LABELS },
  data,
});
