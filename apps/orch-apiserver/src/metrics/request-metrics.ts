import type { ApiMetrics, MeasuredRequest } from "@orchernetes/apiserver";
import { loopbackUser } from "@orchernetes/auth";
import type { Metrics } from "@orchernetes/component";
import { requestCounters, requestHistograms } from "./request-instruments.ts";
import { dryRunOf, fieldValidationOf } from "./request-labels.ts";
import { type Observer, type RequestSeries, RequestSeriesIndex, type ServedResource } from "./request-series.ts";

const component = "apiserver";
const bodyVerbs: Readonly<Record<string, string>> = { create: "create", update: "update", patch: "patch" };

/**
 * Counts of requests.
 * @param served reports what is served: other resources are not counted by name, because their number is unlimited
 */
export function requestMetrics(
  metrics: Metrics,
  served: ServedResource,
): Pick<
  ApiMetrics,
  "observeRequest" | "requestTerminated" | "requestAborted" | "endedAfterTimeout" | "addLongRunning"
> {
  const {
    total,
    longRunning,
    terminations,
    aborts,
    afterTimeout,
    own: requestsOfOwn,
    deprecated,
  } = requestCounters(metrics);
  const { duration, objective, oldObjective, responseSizes, bodySizes, validation } = requestHistograms(metrics);
  const index = new RequestSeriesIndex(served, ({ group, version, resource, subresource }, { removed = "" }) =>
    deprecated.set(1, [group, version, resource, subresource, removed]),
  );
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
  const observeValidation = (fields: string, seconds: number): void => {
    let byFields = validations.get(fields);
    if (byFields === undefined) {
      byFields = validation.with(fields);
      validations.set(fields, byFields);
    }
    byFields.observe(seconds);
  };
  return {
    observeRequest(request, seconds) {
      const { info } = request;
      const series = index.find(request);
      const { verb, resource, subresource } = series.labels;
      const dryRun = dryRunOf(info);
      add(series, request.code, dryRun);
      observe(series, seconds, dryRun);
      observeValidation(fieldValidationOf(info), seconds);
      if (resource === "") return;
      series.objective ??= objective.with(...series.values, component);
      const own = ownSeconds(request, seconds);
      series.objective.observe(own);
      series.oldObjective ??= oldObjective.with(...series.values, component);
      series.oldObjective.observe(own);
      if (verb === "GET" || verb === "LIST") {
        series.responseSize ??= responseSizes.with(...series.values, component);
        series.responseSize.observe(request.responseBytes);
      }
      if (request.requestBytes > 0) {
        series.bodySize ??= bodySizes.with(resource, bodyVerbs[info.verb] ?? "delete");
        series.bodySize.observe(request.requestBytes);
      }
      if (request.user === loopbackUser) requestsOfOwn.inc([verb, resource, subresource]);
    },
    requestTerminated: (request, code) => terminations.inc([...index.find(request).values, component, String(code)]),
    requestAborted: (request) => aborts.inc([...index.find(request).values]),
    endedAfterTimeout: (status) => afterTimeout.inc(["rest-handler", status]),
    addLongRunning: (request, delta) => longRunning.inc([...index.find(request).values, component], delta),
  };
}

/** The time of a request without that of webhooks, in seconds, as upstream. */
function ownSeconds({ webhookTimes }: MeasuredRequest, seconds: number): number {
  if (webhookTimes === undefined) return seconds;
  return Math.max(0, seconds - (webhookTimes.mutatingMs + webhookTimes.validatingMs) / 1000);
}
