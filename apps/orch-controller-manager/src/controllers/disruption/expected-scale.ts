import type { core } from "@orchernetes/api";
import { type ApiObject, controllerOf, type OwnerReference, type Stored } from "@orchernetes/apimachinery";
import type { Lister } from "@orchernetes/client";
import { sooner } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import type { ExpectedScale } from "./reconcile.ts";
import type { ScaleAnswer, ScaleLookup } from "./scale-lookup.ts";

type Pod = Stored<core.Pod>;
type Scalable = ApiObject & { readonly spec: { readonly replicas?: number } };

/** Where the sizes of controllers are read. */
export interface ScaleSources {
  /** Reads other kinds through the scale subresource. */
  readonly lookup: ScaleLookup;
  /** Caches of the kinds that usually control pods, by `Kind.group`. */
  readonly listers: Readonly<Record<string, Lister<Scalable>>>;
}

/**
 * The total number of pods that the controllers of these pods should have. Each controller is counted once; a
 * ReplicaSet of a Deployment is counted by the Deployment, because during a rollout the ReplicaSets change.
 */
export async function expectedScale(pods: readonly Pod[], sources: ScaleSources): Promise<ExpectedScale> {
  const counts = new Map<string, number>();
  const unmanaged: string[] = [];
  let recheckMs: number | undefined;
  try {
    for (const pod of pods) {
      const { name, namespace = "" } = pod.metadata;
      const ref = controllerOf(pod);
      if (ref === undefined) {
        unmanaged.push(name);
        continue;
      }
      if (counts.has(ref.uid)) continue;
      const { scale: found, keptForMs } = await scaleOf(ref, namespace, sources);
      recheckMs = sooner(recheckMs, keptForMs);
      if (found === undefined) {
        return { type: "failed", message: `found no controllers for pod ${JSON.stringify(name)}` };
      }
      counts.set(ref.uid, 0);
      counts.set(found.uid, found.replicas);
    }
  } catch (error) {
    return { type: "failed", message: messageOf(error) };
  }
  let count = 0;
  for (const replicas of counts.values()) count += replicas;
  return { type: "known", count, unmanaged, ...(recheckMs === undefined ? {} : { recheckMs }) };
}

/** The scale of a controller: from the caches for common kinds, otherwise through the scale subresource. */
async function scaleOf(ref: OwnerReference, namespace: string, sources: ScaleSources): Promise<ScaleAnswer> {
  const [group, version] = ref.apiVersion.includes("/") ? ref.apiVersion.split("/") : ["", ref.apiVersion];
  const lister = sources.listers[`${ref.kind}.${group}`];
  if (lister === undefined) return sources.lookup({ ...ref, group: group ?? "", version: version ?? "" }, namespace);
  const object = lister.get(namespace, ref.name);
  if (object?.metadata.uid !== ref.uid || object === undefined) return { scale: undefined };
  const parent = ref.kind === "ReplicaSet" ? controllerOf(object) : undefined;
  if (parent?.kind === "Deployment") return scaleOf(parent, namespace, sources);
  return { scale: { uid: ref.uid, replicas: object.spec.replicas ?? 1 } };
}
