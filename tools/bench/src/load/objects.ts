/** Bodies of the objects that the loads create. */
export type ObjectKind = "configmap" | "pod" | "pending-pod";

/** Namespace of everything that is created. */
export const NAMESPACE = "bench";

/** Path of the collection of a kind. */
export const collectionPath = (kind: ObjectKind): string =>
  `/api/v1/namespaces/${NAMESPACE}/${kind === "configmap" ? "configmaps" : "pods"}`;

const padding = (bytes: number): object => (bytes > 0 ? { annotations: { pad: "x".repeat(bytes) } } : {});

/**
 * JSON of the object with this number.
 * @param padBytes size of an annotation that increases the size of the object; 0 for none
 */
export function objectJson(kind: ObjectKind, name: string, n: number, padBytes: number): string {
  if (kind === "configmap")
    return JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ...padding(padBytes) },
      data: { k1: "x".repeat(200) },
    });
  const metadata = { name, labels: { app: "bench", tier: `t${n % 10}` }, ...padding(padBytes) };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: {
      automountServiceAccountToken: false,
      containers: [kind === "pod" ? usualContainer : { ...smallContainer }],
    },
  });
}

const usualContainer = {
  name: "c",
  image: "localhost/busybox:1",
  command: ["sleep", "3600"],
  env: [
    { name: "A", value: "1" },
    { name: "B", value: "2" },
  ],
  resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "200m", memory: "128Mi" } },
  ports: [{ containerPort: 8080 }],
};

const smallContainer = {
  name: "c",
  image: "localhost/pause:1",
  resources: { requests: { cpu: "100m", memory: "128Mi" } },
};
