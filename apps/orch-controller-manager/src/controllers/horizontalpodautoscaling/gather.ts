import type { core } from "@orchernetes/api";
import type { Selector } from "@orchernetes/apimachinery";
import type { Client, Lister } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";
import { createRestMapper, type RestMapper } from "../../shared/rest-mapper.ts";
import type { AutoscalingMetrics } from "./metrics/autoscaling-metrics.ts";
import { createMetricsClient, type MetricsClient } from "./metrics/metrics-client.ts";
import { proposalOf } from "./metrics/proposal.ts";
import { type HorizontalPodAutoscaler, type Measured, needsMetrics, type Scale } from "./reconcile.ts";
import { getScale, type ScaleTarget } from "./scale-target.ts";
import { ambiguity, selectorOfScale } from "./selector.ts";
import type { HorizontalPodAutoscalingSettings } from "./settings.ts";

/** The sources of scales and metrics. */
export interface AutoscalerReaderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly pods: Lister<core.Pod>;
  readonly settings: HorizontalPodAutoscalingSettings;
  readonly metrics: AutoscalingMetrics;
}

/** Reads the input of an autoscaler's decision: the scale of its target, and its metrics. */
export class AutoscalerReader {
  readonly #options: AutoscalerReaderOptions;
  readonly #mapper: RestMapper;
  readonly #metrics: MetricsClient;
  /** Selectors by namespace, then by the autoscaler's name: two autoscalers must not select the same pods. */
  readonly #selectors = new Map<string, Map<string, Selector>>();

  constructor(options: AutoscalerReaderOptions) {
    this.#options = options;
    this.#mapper = createRestMapper(options.client, options.clock);
    this.#metrics = createMetricsClient(options.client, this.#mapper, options.clock);
  }

  /** Drops the state of a deleted autoscaler. */
  forget({ metadata: { namespace = "", name } }: HorizontalPodAutoscaler): void {
    const known = this.#selectors.get(namespace);
    known?.delete(name);
    if (known?.size === 0) this.#selectors.delete(namespace);
  }

  /** Reads the scale of the autoscaler's target. @throws Error if it has none, or it cannot be read */
  scaleOf({ metadata: { namespace = "" }, spec }: HorizontalPodAutoscaler): Promise<ScaleTarget> {
    return getScale(this.#options.client, this.#mapper, namespace, spec.scaleTargetRef);
  }

  /** Reads the metrics, unless the decision does not need them. */
  async measure(hpa: HorizontalPodAutoscaler, scale: Scale): Promise<Measured> {
    const { clock, pods, settings, metrics } = this.#options;
    const { namespace = "", name } = hpa.metadata;
    const specReplicas = scale.spec?.replicas ?? 0;
    if (!needsMetrics(hpa, specReplicas)) return { type: "unneeded" };
    const selector = selectorOfScale(scale.status?.selector);
    if ("type" in selector) return selector;
    const known = this.#selectors.get(namespace) ?? new Map<string, Selector>();
    this.#selectors.set(namespace, known.set(name, selector));
    const selected = pods.list(namespace).filter(({ metadata }) => selector.matches(metadata.labels));
    const clash = ambiguity(selector, namespace, selected, known);
    if (clash !== undefined) return clash;
    const statusReplicas = scale.status?.replicas ?? 0;
    const outcomes = [];
    for (const spec of hpa.spec.metrics ?? []) {
      const asked = { client: this.#metrics, namespace, specReplicas, statusReplicas, selector, now: clock.now() };
      const { containerMetrics } = settings;
      const startMs = clock.monotonicMs();
      const outcome = await proposalOf(spec, { ...asked, pods: selected, rules: settings, containerMetrics });
      metrics.computed(spec.type, outcome, hpa.status?.currentReplicas ?? 0, clock.monotonicMs() - startMs);
      outcomes.push(outcome);
    }
    return { type: "outcomes", outcomes };
  }
}
