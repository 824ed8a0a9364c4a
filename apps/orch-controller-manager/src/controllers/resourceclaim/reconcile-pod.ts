import type { core } from "@orchernetes/api";
import type { ResourceClaim, ResourceClaimTemplate } from "@orchernetes/api/resource/v1alpha2";
import { controllerOf, controllerRef, keyOf, type Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan } from "@orchernetes/controller";
import { pods as podsRef } from "../../shared/refs.ts";

type Pod = Stored<core.Pod>;
type PodResourceClaim = NonNullable<core.PodSpec["resourceClaims"]>[number];

/** Everything that determines the claims that are made for a pod. */
export interface PodState {
  readonly pod: Pod;
  /** Finds a claim of the pod's namespace. */
  readonly claimOf: (name: string) => Stored<ResourceClaim> | undefined;
  /** Finds a template of the pod's namespace. */
  readonly templateOf: (name: string) => Stored<ResourceClaimTemplate> | undefined;
}

/** A step of the controller. */
export type PodAction =
  | { readonly type: "CreateClaim"; readonly of: string; readonly claim: ResourceClaim }
  /** Reports a claim that cannot be made. The ones after it are looked at when the pod is retried. */
  | { readonly type: "Refuse"; readonly message: string };

/** Name of the claim that an entry of a pod stands for: one of its own if it is from a template. */
export function claimNameOf(pod: Pod, { name, source }: PodResourceClaim): string {
  return source.resourceClaimName ?? `${pod.metadata.name}-${name}`;
}

/** Names of the templates from which claims are made for a pod. */
export function templatesOf({ spec }: Pod): readonly string[] {
  return (spec.resourceClaims ?? []).flatMap(({ source }) => source.resourceClaimTemplateName ?? []);
}

/** Creates the missing claims of a pod from their templates (KEP-3063). The pod owns them. Pure. */
export function reconcilePod({ pod, claimOf, templateOf }: PodState): Plan<PodAction> {
  if (pod.metadata.deletionTimestamp !== undefined) return noPlan;
  const actions: PodAction[] = [];
  for (const entry of pod.spec.resourceClaims ?? []) {
    const templateName = entry.source.resourceClaimTemplateName;
    if (templateName === undefined) continue;
    const refuse = (problem: string) =>
      actions.push({ type: "Refuse", message: `PodResourceClaim ${entry.name}: ${problem}` });
    const name = claimNameOf(pod, entry);
    const known = claimOf(name);
    if (known !== undefined) {
      if (controllerOf(known)?.uid === pod.metadata.uid) continue;
      refuse(`ResourceClaim ${keyOf(known)} was not created for pod ${keyOf(pod)} (pod is not owner)`);
      break;
    }
    const template = templateOf(templateName);
    if (template === undefined) {
      const quoted = JSON.stringify(templateName);
      refuse(`resource claim template ${quoted}: resourceclaimtemplate.resource.o8s.io ${quoted} not found`);
      break;
    }
    const { labels, annotations } = template.spec.metadata ?? {};
    const metadata = {
      name,
      namespace: pod.metadata.namespace ?? "",
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerRef(podsRef, pod)],
    };
    actions.push({ type: "CreateClaim", of: entry.name, claim: { metadata, spec: template.spec.spec, status: {} } });
  }
  return { actions };
}
