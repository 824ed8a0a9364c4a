import type { apps, core } from "@orchernetes/api";
import {
  type ApiObject,
  controllerOf,
  type LabelSelector,
  labelSelectorAsSelector,
  type OwnerReference,
  type Selector,
  selectorFromSet,
  selectorOf,
} from "@orchernetes/apimachinery";
import type { Lister } from "@orchernetes/client";
import type { PodInfo } from "../cache/pod-info.ts";

type Read<T extends ApiObject> = { readonly lister: Pick<Lister<T>, "get" | "list"> };

/** The services and workloads of the cluster. */
export interface Workloads {
  readonly services: Read<core.Service>;
  readonly controllers: Read<core.ReplicationController>;
  readonly replicaSets: Read<apps.ReplicaSet>;
  readonly statefulSets: Read<apps.StatefulSet>;
}

/**
 * Returns a function that computes the selector of the pods which belong together with a pod: those that match all its
 * services and its controller. Default topology spread constraints count these. The function returns undefined for a
 * pod that belongs to none.
 */
export function selectorsBy({
  services,
  controllers,
  replicaSets,
  statefulSets,
}: Workloads): (pod: PodInfo) => Selector | undefined {
  const controllerSelector = (namespace: string, { apiVersion, kind, name }: OwnerReference): Selector | undefined => {
    const of = (selector: LabelSelector | undefined) =>
      selector === undefined ? undefined : labelSelectorAsSelector(selector);
    switch (`${apiVersion} ${kind}`) {
      case "apps/v1 ReplicaSet":
        return of(replicaSets.lister.get(namespace, name)?.spec.selector as LabelSelector | undefined);
      case "apps/v1 StatefulSet":
        return of(statefulSets.lister.get(namespace, name)?.spec.selector as LabelSelector | undefined);
      case "v1 ReplicationController": {
        const labels = controllers.lister.get(namespace, name)?.spec.selector;
        return labels === undefined ? undefined : selectorFromSet(labels);
      }
      default:
        return undefined;
    }
  };
  return ({ pod, namespace }: PodInfo): Selector | undefined => {
    const { labels } = pod.metadata;
    const owner = controllerOf(pod);
    const requirements = [...((owner && controllerSelector(namespace, owner)?.requirements) ?? [])];
    if (labels !== undefined)
      for (const { spec } of services.lister.list(namespace))
        if (spec.selector !== undefined && Object.keys(spec.selector).length > 0) {
          const selector = selectorFromSet(spec.selector);
          if (selector.matches(labels)) requirements.push(...selector.requirements);
        }
    return requirements.length === 0 ? undefined : selectorOf(requirements);
  };
}
