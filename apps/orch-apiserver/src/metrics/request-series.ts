import type { Deprecation, ResourceDefinition } from "@orchernetes/apimachinery";
import type { MeasuredRequest, RequestInfo } from "@orchernetes/apiserver";
import { pageOf, type RequestLabels, reportedVerb, scopeOf } from "./request-labels.ts";

/** Takes one value of a histogram's series. */
export type Observer = { observe(value: number): void };

/** The resource that a request is for; undefined when there is none, or not with such a subresource. */
export type ServedResource = (info: RequestInfo) => Pick<ResourceDefinition, "deprecation"> | undefined;

/** The series of requests that are alike in all labels but the few that are looked up in them. */
export class RequestSeries {
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

/**
 * Finds the series of requests by their resource and a comparison of their other labels: no text is put together for a request.
 */
export class RequestSeriesIndex {
  readonly #served: ServedResource;
  readonly #onDeprecated: (labels: RequestLabels, deprecation: Deprecation) => void;
  readonly #known = new Map<string, RequestSeries[]>();

  /**
   * @param served reports what is served: other resources have no separate series, because their number is unlimited
   * @param onDeprecated called once for each series of a deprecated resource
   */
  constructor(served: ServedResource, onDeprecated: (labels: RequestLabels, deprecation: Deprecation) => void) {
    this.#served = served;
    this.#onDeprecated = onDeprecated;
  }

  /** The series that a request counts in. */
  find(request: MeasuredRequest): RequestSeries {
    const { info } = request;
    const verb = reportedVerb(request);
    const scope = scopeOf(info);
    const { apiGroup, apiVersion, resource } = info;
    const subresource = info.isResourceRequest ? info.subresource : pageOf(info.path);
    for (const series of this.#known.get(resource) ?? []) {
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
    const definition = resource === "" ? undefined : this.#served(info);
    if (resource !== "" && definition === undefined)
      return this.#seriesOf({ verb, group: "", version: "", resource: "", subresource: "", scope });
    const labels = { verb, group: apiGroup, version: apiVersion, resource, subresource, scope };
    return this.#seriesOf(labels, definition?.deprecation);
  }

  #seriesOf(labels: RequestLabels, deprecation?: Deprecation): RequestSeries {
    let list = this.#known.get(labels.resource);
    if (list === undefined) {
      list = [];
      this.#known.set(labels.resource, list);
    }
    const same = list.find((series) =>
      Object.keys(labels).every((key) => series.labels[key as "verb"] === labels[key as "verb"]),
    );
    if (same !== undefined) return same;
    const made = new RequestSeries(labels);
    list.push(made);
    if (deprecation !== undefined) this.#onDeprecated(labels, deprecation);
    return made;
  }
}
