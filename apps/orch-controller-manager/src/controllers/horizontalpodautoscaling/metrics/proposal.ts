import type { autoscalingV2 } from "@orchernetes/api";
import {
  formatLabelSelector,
  labelSelectorAsSelector,
  milliValueOf,
  Quantity,
  type Selector,
} from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";
import type { MetricsClient } from "./metrics-client.ts";
import type { Pod } from "./pod-groups.ts";
import { during, MetricError, SpecError } from "./pod-metric.ts";
import {
  averageReplicas,
  type CountRules,
  perPodReplicas,
  type ReplicaCount,
  utilizationReplicas,
  valueReplicas,
} from "./replica-count.ts";

type MetricSpec = autoscalingV2.MetricSpec;
type MetricStatus = autoscalingV2.MetricStatus;
type Current = autoscalingV2.MetricValueStatus;

/** The result for one metric. */
export type MetricOutcome =
  | { readonly type: "proposal"; readonly replicas: number; readonly name: string; readonly status: MetricStatus }
  | {
      readonly type: "failure";
      /** Reason of the condition and the event. */
      readonly reason: string;
      readonly message: string;
      /** Message of the error, which names the metric. */
      readonly error: string;
      /** Set if the autoscaler itself is wrong, so that trying again does not help. */
      readonly invalidSpec?: true;
    };

/** Everything that is needed to compute the replicas for a metric. */
export interface MetricContext {
  readonly client: MetricsClient;
  readonly namespace: string;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly selector: Selector;
  readonly pods: readonly Pod[];
  readonly rules: CountRules;
  /** Whether metrics of single containers are supported (feature gate HPAContainerMetrics). */
  readonly containerMetrics: boolean;
  readonly now: Date;
}

/** Reads one metric, and computes the replicas that it calls for. Never throws: a failure is a result. */
export async function proposalOf(spec: MetricSpec, context: MetricContext): Promise<MetricOutcome> {
  const { type, object, pods, resource, containerResource, external } = spec;
  if (type === "Object" && object) return objectProposal(object, context);
  if (type === "Pods" && pods) return podsProposal(pods, context);
  if (type === "External" && external) return externalProposal(external, context);
  if (type === "Resource" && resource) {
    const { name, target } = resource;
    return attempt("FailedGetResourceMetric", `failed to get ${name} resource metric value`, async () => {
      const { count, current, title } = await resourceCount(name, target, "", context);
      return { replicas: count.replicas, name: title, status: { type, resource: { name, current } } };
    });
  }
  if (type === "ContainerResource" && containerResource) {
    const { name, target, container } = containerResource;
    const reason = "FailedGetContainerResourceMetric";
    return attempt(reason, `failed to get ${name} container metric value`, async () => {
      // The autoscaler was created when the gate was enabled.
      if (!context.containerMetrics) {
        throw new MetricError("ContainerResource metric type is not supported: disabled by the feature gate");
      }
      const { count, current, title } = await resourceCount(name, target, container, context);
      const status = { type, containerResource: { name, container, current } } as const;
      return { replicas: count.replicas, name: title, status };
    });
  }
  const message = `unknown metric source type ${JSON.stringify(type)}`;
  return { type: "failure", reason: "InvalidMetricSourceType", message, error: message, invalidSpec: true };
}

type Proposal = Omit<Extract<MetricOutcome, { type: "proposal" }>, "type">;

/** Runs the computation for a metric, and converts an error to a failure with this reason. */
async function attempt(reason: string, what: string, work: () => Promise<Proposal>): Promise<MetricOutcome> {
  try {
    return { type: "proposal", ...(await work()) };
  } catch (error) {
    const message = messageOf(error);
    const failure = { type: "failure", reason, message, error: `${what}: ${message}` } as const;
    return error instanceof SpecError ? { ...failure, invalidSpec: true } : failure;
  }
}

interface ResourceCount {
  readonly count: ReplicaCount;
  readonly current: Current;
  readonly title: string;
}

/** The replicas for a resource metric of pods or of one container, by average value or by utilization. */
async function resourceCount(
  resource: string,
  target: autoscalingV2.MetricTarget,
  container: string,
  { client, namespace, selector, specReplicas: currentReplicas, pods, rules, now }: MetricContext,
): Promise<ResourceCount> {
  const figures = async () => {
    const what = `unable to get metrics for resource ${resource}`;
    const metrics = await during(what, () => client.resource(resource, namespace, selector, container));
    return { currentReplicas, pods, metrics, resource };
  };
  const { averageValue, averageUtilization } = target;
  if (averageValue !== undefined) {
    return during(`failed to get ${resource} usage`, async () => {
      const count = averageReplicas(await figures(), milliValueOf(averageValue), rules, now);
      return { count, current: { averageValue: milli(count.usageMilli) }, title: `${resource} resource` };
    });
  }
  if (averageUtilization === undefined) {
    throw new SpecError(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  }
  return during(`failed to get ${resource} utilization`, async () => {
    const count = utilizationReplicas(await figures(), averageUtilization, container, rules, now);
    const { utilization = 0, usageMilli } = count;
    const kind = container === "" ? "resource" : "container resource";
    return {
      count,
      current: { averageUtilization: utilization, averageValue: milli(usageMilli) },
      title: `${resource} ${kind} utilization (percentage of request)`,
    };
  });
}

/** The replicas for a custom metric of the pods. */
function podsProposal(
  { metric, target }: autoscalingV2.PodsMetricSource,
  { client, namespace, selector, specReplicas: currentReplicas, pods, rules, now }: MetricContext,
): Promise<MetricOutcome> {
  return attempt("FailedGetPodsMetric", "failed to get pods metric value", async () => {
    const metrics = await during(`unable to get metric ${metric.name}`, () =>
      client.pods(metric.name, namespace, selector, selectorOf(metric)),
    );
    const figures = { currentReplicas, pods, metrics, resource: "" };
    const { replicas, usageMilli } = averageReplicas(figures, milliValueOf(target.averageValue ?? "0"), rules, now);
    const status = { type: "Pods", pods: { metric, current: { averageValue: milli(usageMilli) } } } as const;
    return { replicas, name: `pods metric ${metric.name}`, status };
  });
}

/** The replicas for a custom metric of another object. */
function objectProposal(
  { describedObject, metric, target }: autoscalingV2.ObjectMetricSource,
  { client, namespace, specReplicas, statusReplicas, pods, rules }: MetricContext,
): Promise<MetricOutcome> {
  return attempt("FailedGetObjectMetric", "failed to get object metric value", async () => {
    const { kind, name } = describedObject;
    const usage = (): Promise<number> =>
      during(`unable to get metric ${metric.name} on ${kind} ${namespace}/${name}`, () =>
        client.object(metric.name, namespace, describedObject, selectorOf(metric)),
      );
    const described = (current: Current): MetricStatus => ({
      type: "Object",
      object: { describedObject, metric, current },
    });
    if (target.type === "Value" && target.value !== undefined) {
      const { replicas, usageMilli } = valueReplicas(
        await usage(),
        milliValueOf(target.value),
        specReplicas,
        pods,
        rules,
      );
      return { replicas, name: `${kind} metric ${metric.name}`, status: described({ value: milli(usageMilli) }) };
    }
    if (target.type === "AverageValue" && target.averageValue !== undefined) {
      const targetMilli = milliValueOf(target.averageValue);
      const { replicas, usageMilli } = perPodReplicas(await usage(), targetMilli, statusReplicas, rules);
      return { replicas, name: titleOf(metric), status: described({ averageValue: milli(usageMilli) }) };
    }
    throw new SpecError("invalid object metric source: neither a value target nor an average value target was set");
  });
}

/** The replicas for an external metric. */
function externalProposal(
  { metric, target }: autoscalingV2.ExternalMetricSource,
  { client, namespace, specReplicas, statusReplicas, pods, rules }: MetricContext,
): Promise<MetricOutcome> {
  return attempt("FailedGetExternalMetric", `failed to get ${metric.name} external metric value`, async () => {
    const usage = (): Promise<number> =>
      during(`unable to get external metric ${namespace}/${metric.name}/${selectorText(metric)}`, () =>
        client.external(metric.name, namespace, selectorOf(metric)),
      );
    const proposal = ({ replicas }: ReplicaCount, current: Current): Proposal => ({
      replicas,
      name: titleOf(metric),
      status: { type: "External", external: { metric, current } },
    });
    if (target.averageValue !== undefined) {
      const count = perPodReplicas(await usage(), milliValueOf(target.averageValue), statusReplicas, rules);
      return proposal(count, { averageValue: milli(count.usageMilli) });
    }
    if (target.value !== undefined) {
      const count = valueReplicas(await usage(), milliValueOf(target.value), specReplicas, pods, rules);
      return proposal(count, { value: milli(count.usageMilli) });
    }
    throw new SpecError("invalid external metric source: neither a value target nor an average value target was set");
  });
}

type Identifier = autoscalingV2.MetricIdentifier;

/** No selector means every series of the metric. */
const selectorOf = ({ selector }: Identifier): Selector => labelSelectorAsSelector(selector ?? {});
const selectorText = ({ selector }: Identifier): string =>
  selector === undefined ? "" : formatLabelSelector(selector);
const titleOf = (metric: Identifier): string => {
  const selector = selectorText(metric);
  return `external metric ${metric.name}${selector === "" ? "" : `(${selector})`}`;
};
const milli = (value: number): string => Quantity.ofMilli(value).canonical();
