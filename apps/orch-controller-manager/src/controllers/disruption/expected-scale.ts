import type { core } from "@orchernetes/api";
import { type ApiObject, isNotFound, type OwnerReference, type Stored } from "@orchernetes/apimachinery";
import type { Client, Lister } from "@orchernetes/client";
import { controllerOf } from "@orchernetes/controller";
import type { Discovery } from "../../shared/discovery.ts";
import type { ExpectedScale } from "./reconcile.ts";

type Pod = Stored<core.Pod>;
type Scalable = ApiObject & { readonly spec: { readonly replicas?: number } };

export interface ScaleSources {
  readonly client: Client;
  readonly discovery: Discovery;
  /** Caches of the kinds that usually control pods, by `Kind.group`. */
  readonly listers: Readonly<Record<string, Lister<Scalable>>>;
}

/** How many pods the controllers of these pods want: each counted once, a ReplicaSet by its Deployment. */
export async function expectedScale(pods: readonly Pod[], sources: ScaleSources): Promise<ExpectedScale> {
  const counts = new Map<string, number>();
  const unmanaged: string[] = [];
  try {
    for (const pod of pods) {
      const { name, namespace = "" } = pod.metadata;
      const ref = controllerOf(pod);
      if (ref === undefined) {
        unmanaged.push(name);
        continue;
      }
      if (counts.has(ref.uid)) continue;
      const found = await scaleOf(ref, namespace, sources);
      if (found === undefined) {
        return { type: "failed", message: `found no controllers for pod ${JSON.stringify(name)}` };
      }
      counts.set(ref.uid, 0);
      counts.set(found.uid, found.replicas);
    }
  } catch (error) {
    return { type: "failed", message: error instanceof Error ? error.message : String(error) };
  }
  let count = 0;
  for (const replicas of counts.values()) count += replicas;
  return { type: "known", count, unmanaged };
}

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

async function scaleOf(ref: OwnerReference, namespace: string, sources: ScaleSources): Promise<Scale | undefined> {
  const [group, version] = ref.apiVersion.includes("/") ? ref.apiVersion.split("/") : ["", ref.apiVersion];
  const lister = sources.listers[`${ref.kind}.${group}`];
  if (lister === undefined)
    return scaleSubresource(ref, { group: group ?? "", version: version ?? "" }, namespace, sources);
  const object = lister.get(namespace, ref.name);
  if (object?.metadata.uid !== ref.uid || object === undefined) return undefined;
  const parent = ref.kind === "ReplicaSet" ? controllerOf(object) : undefined;
  if (parent?.kind === "Deployment") return scaleOf(parent, namespace, sources);
  return { uid: ref.uid, replicas: object.spec.replicas ?? 1 };
}

/** Kinds that are not known here may tell by their scale. */
async function scaleSubresource(
  ref: OwnerReference,
  { group, version }: { readonly group: string; readonly version: string },
  namespace: string,
  { client, discovery }: ScaleSources,
): Promise<Scale | undefined> {
  const { resources } = await discovery.refresh();
  const resource = resources.find((r) => r.group === group && r.kind === ref.kind);
  if (resource === undefined) return undefined;
  try {
    const scale = await client
      .resource({ ...resource, version })
      .namespace(namespace)
      .subresource<Scalable>("scale")
      .get(ref.name);
    return scale.metadata.uid === ref.uid ? { uid: ref.uid, replicas: scale.spec.replicas ?? 0 } : undefined;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(`${ref.kind}.${group} does not implement the scale subresource`, { cause: error });
  }
}
