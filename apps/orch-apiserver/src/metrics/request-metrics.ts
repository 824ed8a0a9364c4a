import type { Deprecation, ResourceDefinition } from "@orchernetes/apimachinery";
import type { ApiMetrics, MeasuredRequest, RequestInfo } from "@orchernetes/apiserver";
import { loopbackUser } from "@orchernetes/auth";
import { exponentialBuckets, linearBuckets, type Metrics } from "@orchernetes/component";
import { objectiveBuckets, requestLatencyBuckets } from "./buckets.ts";
import { dryRunOf, fieldValidationOf, pageOf, type RequestLabels, reportedVerb, scopeOf } from "./request-labels.ts";

const component = "apiserver";
const place = ["group", "version", "resource", "subresource", "scope"] as const;

type Observer = { observe(value: number): void };

/** The series of requests that are alike in all labels but the few that are looked up in them. */
class RequestSeries {
  readonly labels: RequestLabels;
  readonly values: readonly string[];
  /** By status code, for ordinary requests and for those with a dry_run label. */
  readonly totals = new Map<string | number, { inc(by?: number): void }>();
  readonly durations = new Map<string, Observer>();
  objective: Observer | undefined;
  oldObjective: Observer | undefined;
  responseSize: Observer | undefined;
  bodySize: Observer | undefined;

  constructor(labels: RequestLabels) {
    const { verb, group, version, resource, subresource, scope } = labels;
    this.labels = labels;
    this.values = [verb, group, version, resource, subresource, scope];
  }
}

const bodyVerbs: Readonly<Record<string, string>> = { create: "create", update: "update", patch: "patch" };

/** The resource that a request is for; undefined when there is none, or not with such a subresource. */
export type ServedResource = (info: RequestInfo) => Pick<ResourceDefinition, "deprecation"> | undefined;

/**
 * Counts of requests. What is counted again and again is found by the request's resource and a comparison of its other labels:
 * no text is put together for a request.
 * @param served tells what is served: other resources are not counted by name, since they have no end
 */
export function requestMetrics(
  metrics: Metrics,
  served: ServedResource,
): Pick<
  ApiMetrics,
  "observeRequest" | "requestTerminated" | "requestAborted" | "endedAfterTimeout" | "addLongRunning"
> {
  const total = metrics.counter({
    name: "apiserver_request_total",
    help: "Requests answered, by verb, dry run value, group, version, resource, scope, component and HTTP response code.",
    stability: "STABLE",
    labelNames: ["verb", "dry_run", ...place, "component", "code"],
  });
  const duration = metrics.histogram({
    name: "apiserver_request_duration_seconds",
    help: "Time from a request's arrival to the end of its answer, in seconds.",
    stability: "STABLE",
    labelNames: ["verb", "dry_run", ...place, "component"],
    buckets: requestLatencyBuckets,
  });
  const objective = metrics.histogram({
    name: "apiserver_request_sli_duration_seconds",
    help: "Time that requests took without what webhooks took of it, in seconds.",
    labelNames: ["verb", ...place, "component"],
    buckets: objectiveBuckets,
  });
  const oldObjective = metrics.histogram({
    name: "apiserver_request_slo_duration_seconds",
    help: "As apiserver_request_sli_duration_seconds, which replaces it.",
    deprecated: "1.27.0",
    labelNames: ["verb", ...place, "component"],
    buckets: objectiveBuckets,
  });
  const responseSizes = metrics.histogram({
    name: "apiserver_response_sizes",
    help: "Sizes of answers to reads, in bytes.",
    stability: "STABLE",
    labelNames: ["verb", ...place, "component"],
    buckets: exponentialBuckets(1000, 10, 7),
  });
  const bodySizes = metrics.histogram({
    name: "apiserver_request_body_sizes",
    help: "Sizes of request bodies, in bytes.",
    labelNames: ["resource", "verb"],
    buckets: linearBuckets(50_000, 100_000, 31),
  });
  const validation = metrics.histogram({
    name: "field_validation_request_duration_seconds",
    help: "Time that requests took, by how they wanted unknown fields treated, in seconds.",
    labelNames: ["field_validation"],
    buckets: objectiveBuckets,
  });
  const longRunning = metrics.gauge({
    name: "apiserver_longrunning_requests",
    help: "Long-running requests being served.",
    stability: "STABLE",
    labelNames: ["verb", ...place, "component"],
  });
  const terminations = metrics.counter({
    name: "apiserver_request_terminations_total",
    help: "Requests that the server ended itself to protect itself.",
    labelNames: ["verb", ...place, "component", "code"],
  });
  const aborts = metrics.counter({
    name: "apiserver_request_aborts_total",
    help: "Requests whose client left before the answer was complete.",
    labelNames: ["verb", ...place],
  });
  const afterTimeout = metrics.counter({
    name: "apiserver_request_post_timeout_total",
    help: "Requests that were still being worked on after they had timed out, by how that ended.",
    labelNames: ["source", "status"],
  });
  const own = metrics.counter({
    name: "apiserver_selfrequest_total",
    help: "Requests that the server made to itself.",
    labelNames: ["verb", "resource", "subresource"],
  });
  const deprecated = metrics.gauge({
    name: "apiserver_requested_deprecated_apis",
    help: "1 for deprecated APIs that were asked for, by the release that removes them.",
    stability: "STABLE",
    labelNames: ["group", "version", "resource", "subresource", "removed_release"],
  });

  const known = new Map<string, RequestSeries[]>();
  const find = (request: MeasuredRequest): RequestSeries => {
    const { info } = request;
    const verb = reportedVerb(request);
    const scope = scopeOf(info);
    const { apiGroup, apiVersion, resource } = info;
    const subresource = info.isResourceRequest ? info.subresource : pageOf(info.path);
    for (const series of known.get(resource) ?? []) {
      const { labels } = series;
      if (
        labels.verb === verb &&
        labels.scope === scope &&
        labels.subresource === subresource &&
        labels.group === apiGroup &&
        labels.version === apiVersion
      )
        return series;
    }
    const definition = resource === "" ? undefined : served(info);
    if (resource !== "" && definition === undefined)
      return seriesOf({ verb, group: "", version: "", resource: "", subresource: "", scope });
    const labels = { verb, group: apiGroup, version: apiVersion, resource, subresource, scope };
    return seriesOf(labels, definition?.deprecation);
  };
  const seriesOf = (labels: RequestLabels, deprecation?: Deprecation): RequestSeries => {
    let list = known.get(labels.resource);
    if (list === undefined) {
      list = [];
      known.set(labels.resource, list);
    }
    const same = list.find((series) =>
      Object.keys(labels).every((key) => series.labels[key as "verb"] === labels[key as "verb"]),
    );
    if (same !== undefined) return same;
    const made = new RequestSeries(labels);
    list.push(made);
    const { group, version, resource, subresource } = labels;
    if (deprecation !== undefined) {
      deprecated.set(1, [group, version, resource, subresource, deprecation.removed ?? ""]);
    }
    return made;
  };
  const add = (series: RequestSeries, code: number, dryRun: string): void => {
    const key = dryRun === "" ? code : `${dryRun}/${code}`;
    let counter = series.totals.get(key);
    if (counter === undefined) {
      const [verb = "", ...rest] = series.values;
      counter = total.with(verb, dryRun, ...rest, component, String(code));
      series.totals.set(key, counter);
    }
    counter.inc();
  };
  const observe = (series: RequestSeries, seconds: number, dryRun: string): void => {
    let observer = series.durations.get(dryRun);
    if (observer === undefined) {
      const [verb = "", ...rest] = series.values;
      observer = duration.with(verb, dryRun, ...rest, component);
      series.durations.set(dryRun, observer);
    }
    observer.observe(seconds);
  };
  const validations = new Map<string, Observer>();
  return {
    observeRequest(request, seconds) {
      const { info } = request;
      const series = find(request);
      const { verb, resource, subresource } = series.labels;
      const dryRun = dryRunOf(info);
      add(series, request.code, dryRun);
      observe(series, seconds, dryRun);
      const fields = fieldValidationOf(info);
      let byFields = validations.get(fields);
      if (byFields === undefined) {
        byFields = validation.with(fields);
        validations.set(fields, byFields);
      }
      byFields.observe(seconds);
      if (resource === "") return;
      series.objective ??= objective.with(...series.values, component);
      series.objective.observe(seconds);
      series.oldObjective ??= oldObjective.with(...series.values, component);
      series.oldObjective.observe(seconds);
      if (verb === "GET" || verb === "LIST") {
        series.responseSize ??= responseSizes.with(...series.values, component);
        series.responseSize.observe(request.responseBytes);
      }
      if (request.requestBytes > 0) {
        series.bodySize ??= bodySizes.with(resource, bodyVerbs[info.verb] ?? "delete");
        series.bodySize.observe(request.requestBytes);
      }
      if (request.user === loopbackUser) own.inc([verb, resource, subresource]);
    },
    requestTerminated: (request, code) => terminations.inc([...find(request).values, component, String(code)]),
    requestAborted: (request) => aborts.inc([...find(request).values]),
    endedAfterTimeout: (status) => afterTimeout.inc(["rest-handler", status]),
    addLongRunning: (request, delta) => longRunning.inc([...find(request).values, component], delta),
  };
}
