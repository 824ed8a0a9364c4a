import { ApiError, genericServerResponse, isNotFound, parseDuration, type Selector } from "@orchernetes/apimachinery";
import { type Client, type ResourceRef, resourcePath } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";
import type { RestMapper } from "../../../shared/rest-mapper.ts";
import { amountOf, type MetricValue, type PodUsage, podUsage } from "./answers.ts";
import { during, MetricError, type PodMetric, type PodMetrics } from "./pod-metric.ts";

/** Reads the three metrics APIs (resource, custom, external). All methods throw {@link MetricError}. */
export interface MetricsClient {
  /** Usage of a resource by the selected pods. @param container "" for whole pods */
  resource(resource: string, namespace: string, selector: Selector, container: string): Promise<PodMetrics>;
  /** A custom metric of the selected pods. */
  pods(metric: string, namespace: string, selector: Selector, metricSelector: Selector): Promise<PodMetrics>;
  /** A custom metric of one object, in thousandths. */
  object(metric: string, namespace: string, of: ObjectName, metricSelector: Selector): Promise<number>;
  /** The sum of an external metric, in thousandths. */
  external(metric: string, namespace: string, metricSelector: Selector): Promise<number>;
}

/** An object that a metric describes. */
interface ObjectName {
  readonly apiVersion?: string | undefined;
  readonly kind: string;
  readonly name: string;
}

/** Supported versions of the custom metrics API, preferred one first. */
const customVersions: readonly string[] = ["v1beta2", "v1beta1"];
const customGroup = "custom.metrics.o8s.io";
/** Time for which the version of the custom metrics API is cached. */
const customVersionCacheMs = 30_000;
/** Measurement window of values that do not specify one. */
const defaultWindowMs = 60_000;

/** Creates a client of the metrics APIs, which the API server serves through its aggregation layer. */
export function createMetricsClient(client: Client, mapper: RestMapper, clock: Clock): MetricsClient {
  let customVersion: { readonly value: Promise<string>; readonly untilMs: number } | undefined;

  const list = async <T>(
    path: string,
    query: Readonly<Record<string, string>>,
    resource: string,
    group: string,
  ): Promise<readonly T[]> => {
    try {
      const answer = await client.request({ method: "GET", path, query });
      return (answer as { readonly items?: readonly T[] }).items ?? [];
    } catch (error) {
      throw qualified(error, resource, group);
    }
  };

  const customPath = async (namespace: string, rest: string): Promise<string> => {
    const nowMs = clock.monotonicMs();
    if (customVersion === undefined || customVersion.untilMs <= nowMs) {
      customVersion = { value: findCustomVersion(client), untilMs: nowMs + customVersionCacheMs };
    }
    const used = customVersion;
    try {
      return `/apis/${customGroup}/${await used.value}/namespaces/${encodeURIComponent(namespace)}/${rest}`;
    } catch (error) {
      if (customVersion === used) customVersion = undefined;
      throw error;
    }
  };

  return {
    async resource(resource, namespace, selector, container) {
      const ref = { group: "metrics.o8s.io", version: "v1beta1", plural: "pods" };
      const items = await during("unable to fetch metrics from resource metrics API", () =>
        list<PodUsage>(resourcePath(ref, namespace), { labelSelector: selector.toString() }, ref.plural, ref.group),
      );
      if (items.length === 0) throw new MetricError("no metrics returned from resource metrics API");
      const metrics = new Map<string, PodMetric>();
      for (const item of items) {
        const milliValue = podUsage(item, resource, container);
        if (milliValue === undefined) continue;
        const windowMs = item.window === undefined ? 0 : parseDuration(item.window);
        metrics.set(item.metadata.name, { milliValue, timestampMs: Date.parse(item.timestamp), windowMs });
      }
      return metrics;
    },

    async pods(metric, namespace, selector, metricSelector) {
      const items = await during("unable to fetch metrics from custom metrics API", async () => {
        const path = await customPath(namespace, `pods/*/${encodeURIComponent(metric)}`);
        const query = { labelSelector: selector.toString(), metricLabelSelector: metricSelector.toString() };
        return list<MetricValue>(path, query, `pods/${metric}`, customGroup);
      });
      if (items.length === 0) throw new MetricError("no metrics returned from custom metrics API");
      const metrics = new Map<string, PodMetric>();
      for (const { describedObject, timestamp, windowSeconds, value } of items) {
        const windowMs = windowSeconds === undefined ? defaultWindowMs : windowSeconds * 1000;
        const name = describedObject?.name ?? "";
        metrics.set(name, { milliValue: amountOf(value), timestampMs: Date.parse(timestamp), windowMs });
      }
      return metrics;
    },

    async object(metric, namespace, of, metricSelector) {
      return during("unable to fetch metrics from custom metrics API", async () => {
        const what = await describedPath(of, mapper);
        const path = await customPath(
          what === undefined ? of.name : namespace,
          `${what ?? "metrics"}/${encodeURIComponent(metric)}`,
        );
        const query = { metricLabelSelector: metricSelector.toString() };
        const items = await list<MetricValue>(path, query, `${what ?? "namespaces"}/${metric}`, customGroup);
        const [item] = items;
        if (item === undefined || items.length > 1) {
          throw new MetricError(
            `the custom metrics API server returned ${items.length} results when we asked for exactly one`,
          );
        }
        return amountOf(item.value);
      });
    },

    async external(metric, namespace, metricSelector) {
      const ref = { group: "external.metrics.o8s.io", version: "v1beta1", plural: metric };
      const items = await during("unable to fetch metrics from external metrics API", () => {
        const path = resourcePath({ ...ref, plural: encodeURIComponent(metric) }, namespace);
        return list<MetricValue>(path, { labelSelector: metricSelector.toString() }, metric, ref.group);
      });
      if (items.length === 0) throw new MetricError("no metrics returned from external metrics API");
      let sum = 0;
      for (const { value } of items) sum += amountOf(value);
      return sum;
    },
  };
}

/** The preferred version of the custom metrics API that is served. @throws MetricError if there is none */
async function findCustomVersion(client: Client): Promise<string> {
  let served: readonly string[] = [];
  try {
    const group = (await client.request({ method: "GET", path: `/apis/${customGroup}` })) as {
      readonly versions?: readonly { readonly version: string }[];
    };
    served = (group.versions ?? []).map(({ version }) => version);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const version = customVersions.find((known) => served.includes(known));
  if (version === undefined) throw new MetricError(`no custom metrics API (${customGroup}) registered`);
  return version;
}

/** A path such as `deployments.apps/web`; undefined for a namespace, whose metrics have another path. */
async function describedPath(
  { apiVersion = "", kind, name }: ObjectName,
  mapper: RestMapper,
): Promise<string | undefined> {
  if (kind === "Namespace" && !apiVersion.includes("/")) return undefined;
  const [group = "", version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion || undefined];
  const [ref]: readonly ResourceRef[] = await mapper.mappings({ group, kind }, version);
  const resource = ref === undefined ? "" : ref.group === "" ? ref.plural : `${ref.plural}.${ref.group}`;
  return `${resource}/${encodeURIComponent(name)}`;
}

/** If the server does not know the path, it responds without a Status. Then the error is made to name the resource. */
function qualified(error: unknown, plural: string, group: string): unknown {
  if (!(error instanceof ApiError) || error.status.details?.kind !== undefined) return error;
  if (error.message !== genericServerResponse({ code: error.code }).message) return error;
  return genericServerResponse({ code: error.code, verb: "get", resource: { group, plural } });
}
