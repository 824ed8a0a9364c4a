import { type ApiObject, apiVersionOf, keyOf, notFound, type Selector, type Stored } from "@orchernetes/apimachinery";
import { type HandlerTable, handlerKey, parseListOptions, type RequestHandler } from "@orchernetes/apiserver";
import type { Lister } from "@orchernetes/client";
import type { NodeView } from "../cluster/node-view.ts";
import type { PodView } from "../cluster/pod-view.ts";
import type { MetricStorage } from "../storage/metric-storage.ts";
import { METRICS_GROUPS } from "./kinds.ts";
import { nodeMetrics, podMetrics } from "./metrics-objects.ts";

/** Where the figures and the names come from. */
export interface MetricsSources {
  readonly storage: MetricStorage;
  readonly nodes: Lister<NodeView>;
  /** Running pods. */
  readonly pods: Lister<PodView>;
  /** Of `--node-selector`: other nodes are not served. */
  readonly nodeSelector: Selector;
  /** Called with the age of each figure that is served, in seconds. */
  readonly observeFreshness: (seconds: number) => void;
}

/** How one of the two kinds is read. */
interface MetricsReader<T extends ApiObject> {
  /** The object that usage belongs to. */
  find(namespace: string, name: string): Stored<T> | undefined;
  list(namespace: string): readonly Stored<T>[];
  /** Its usage; undefined if there is none yet. */
  usageOf(object: Stored<T>, now: Date): (ApiObject & { readonly timestamp: string }) | undefined;
  /** The resource of errors about an unknown object. */
  readonly unknown: string;
  /** The resource of errors about an object without usage. */
  readonly unmeasured: string;
}

/** Handlers of both kinds in every group of the metrics API. */
export function metricsHandlers(sources: MetricsSources): HandlerTable {
  const nodes = handlerOf(nodeReader(sources), sources);
  const pods = handlerOf(podReader(sources), sources);
  return Object.fromEntries(
    METRICS_GROUPS.flatMap((group) => [
      [handlerKey(group, "nodes"), nodes],
      [handlerKey(group, "pods"), pods],
    ]),
  );
}

function nodeReader({ storage, nodes, nodeSelector }: MetricsSources): MetricsReader<NodeView> {
  return {
    find: (_, name) => nodes.get("", name),
    list: () => nodes.list().filter(({ metadata }) => nodeSelector.matches(metadata.labels)),
    usageOf(node, now) {
      const usage = storage.nodeUsage(node.metadata.name);
      return usage && nodeMetrics(node, usage, now);
    },
    unknown: "node",
    unmeasured: "nodemetrics",
  };
}

function podReader({ storage, pods }: MetricsSources): MetricsReader<PodView> {
  return {
    find: (namespace, name) => pods.get(namespace, name),
    list: (namespace) => pods.list(namespace),
    usageOf(pod, now) {
      const usage = storage.podUsage(keyOf(pod));
      return usage && podMetrics(pod, usage, now);
    },
    unknown: "pods",
    unmeasured: "podmetrics",
  };
}

/** GET of one object, and of all that selectors select, sorted by namespace and name. Objects without usage are left out. */
function handlerOf<T extends ApiObject>(reader: MetricsReader<T>, sources: MetricsSources): RequestHandler {
  const served = (object: Stored<T>, now: Date) => {
    const found = reader.usageOf(object, now);
    if (found !== undefined) sources.observeFreshness((now.getTime() - Date.parse(found.timestamp)) / 1000);
    return found;
  };
  return {
    verbs: ["get", "list"],
    async handle({ requestInfo, query, definition, now }) {
      const { verb, namespace, name } = requestInfo;
      if (verb === "get") {
        const known = reader.find(namespace, name);
        if (known === undefined) throw notFound({ group: "", plural: reader.unknown }, name);
        const found = served(known, now);
        if (found === undefined) throw notFound({ group: definition.group, plural: reader.unmeasured }, keyOf(known));
        const object = { kind: definition.kind, apiVersion: apiVersionOf(definition), ...found };
        return { type: "object", object };
      }
      const { labelSelector, fieldSelector } = parseListOptions(definition, query, false, FEATURES);
      const items = [...reader.list(namespace)]
        .filter(
          ({ metadata }) =>
            labelSelector?.matches(metadata.labels) !== false &&
            fieldSelector?.matches({
              "metadata.name": metadata.name,
              "metadata.namespace": metadata.namespace ?? "",
            }) !== false,
        )
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
        .flatMap((object) => served(object, now) ?? []);
      const list = { kind: `${definition.kind}List`, apiVersion: apiVersionOf(definition), metadata: {}, items };
      return { type: "object", object: list };
    },
  };
}

/** Lists are whole, however many items a client asks for: they change with every reading. */
const FEATURES = { listChunking: false, watchList: false };
