import {
  type Column,
  defineResource,
  duration,
  type Infer,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  parseQuantity,
  Quantity,
  quantity,
  type ResourceDefinition,
  required,
  resourceDefinitions,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";

const pkg = "metrics/v1beta1";

/** What a container uses. */
const ContainerMetrics = message(pkg, "ContainerMetrics", () => ({
  name: required(1, string),
  usage: required(2, mapOf(quantity)),
}));

/** What a node uses. */
export const NodeMetrics = object(pkg, "NodeMetrics", () => ({
  metadata: value(1, ObjectMeta),
  timestamp: required(2, time),
  window: required(3, duration),
  usage: required(4, mapOf(quantity)),
}));
export interface NodeMetrics extends Infer<typeof NodeMetrics> {}

/** What the containers of a pod use. */
export const PodMetrics = object(pkg, "PodMetrics", () => ({
  metadata: value(1, ObjectMeta),
  timestamp: required(2, time),
  window: required(3, duration),
  containers: required(4, list(ContainerMetrics), { list: "atomic" }),
}));
export interface PodMetrics extends Infer<typeof PodMetrics> {}

/**
 * The groups in which the metrics API is served: this project's name, which its own programs ask for, and upstream's,
 * which `kubectl top` of stock clients has compiled in.
 */
export const METRICS_GROUPS: readonly string[] = ["metrics.o8s.io", "metrics.k8s.io"];

const nameColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the resource",
  value: ({ metadata }: { readonly metadata: ObjectMeta }) => metadata.name ?? "",
} as const;

const windowColumn = {
  name: "Window",
  type: "string",
  format: "duration",
  description: "",
  value: ({ window }: { readonly window: string }) => window,
} as const;

const usageColumn = <T>(resource: string, of: (object: T) => string): Column<T> => ({
  name: resource,
  type: "string",
  format: "quantity",
  description: "",
  value: of,
});

const sumOf = (resource: string, { containers }: PodMetrics): string =>
  containers
    .map(({ usage }) => parseQuantity(usage[resource] ?? "0"))
    .reduce((sum, one) => sum.add(one), Quantity.of(0))
    .canonical();

const common = { version: "v1beta1", singular: "", verbs: ["get", "list"], strategy: {} } as const;

function nodesOf(group: string): ResourceDefinition<NodeMetrics> {
  return defineResource<NodeMetrics>({
    ...common,
    group,
    kind: "NodeMetrics",
    plural: "nodes",
    scope: "Cluster",
    schema: NodeMetrics,
    columns: [
      nameColumn,
      usageColumn("cpu", ({ usage }) => usage.cpu ?? "0"),
      usageColumn("memory", ({ usage }) => usage.memory ?? "0"),
      windowColumn,
    ],
  });
}

function podsOf(group: string): ResourceDefinition<PodMetrics> {
  return defineResource<PodMetrics>({
    ...common,
    group,
    kind: "PodMetrics",
    plural: "pods",
    scope: "Namespaced",
    schema: PodMetrics,
    columns: [
      nameColumn,
      usageColumn("cpu", (pod) => sumOf("cpu", pod)),
      usageColumn("memory", (pod) => sumOf("memory", pod)),
      windowColumn,
    ],
  });
}

/** Nodes and pods of every group. */
export const metricsDefinitions: readonly ResourceDefinition[] = METRICS_GROUPS.flatMap((group) =>
  resourceDefinitions(nodesOf(group), podsOf(group)),
);
