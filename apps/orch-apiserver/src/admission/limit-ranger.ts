import { core } from "@orchernetes/api";
import { type Draft, forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { amountsOf, podLimits, podRequests, type ResourceList } from "@orchernetes/component-helpers";
import { containerErrors, limitErrors, type Usage } from "./limit-constraints.ts";
import { groupResource, isAbout } from "./shared/attributes.ts";
import { withKnown } from "./shared/plugin.ts";

const ANNOTATION = "orchernetes.io/limit-ranger";

function rangesOf(
  namespace: string,
  context: AdmissionContext,
): readonly core.LimitRange[] | Promise<readonly core.LimitRange[]> {
  return context.registry.forDefinition(core.limitRanges).recentList({ namespace });
}

/** Requests and limits that a container gets where it names none. */
function containerDefaults(range: core.LimitRange): { readonly requests: ResourceList; readonly limits: ResourceList } {
  const items = range.spec.limits.filter((item) => item.type === "Container");
  return {
    requests: Object.assign({}, ...items.map((item) => item.defaultRequest)),
    limits: Object.assign({}, ...items.map((item) => item.default)),
  };
}

/** Fills in what `given` lacks; names what was added. */
function fillIn(given: Record<string, string>, defaults: ResourceList): readonly string[] {
  const added = Object.keys(defaults)
    .filter((name) => !Object.hasOwn(given, name))
    .sort();
  for (const name of added) given[name] = defaults[name] ?? "0";
  return added;
}

/** Gives the pod's containers their defaults, and notes in an annotation what was set. */
export function applyDefaults(pod: Draft<core.Pod>, range: core.LimitRange): void {
  const defaults = containerDefaults(range);
  const notes: string[] = [];
  const fill = (container: Draft<core.Container>, what: string): void => {
    const resources: Draft<core.ResourceRequirements> = container.resources ?? {};
    for (const [of, singular] of [
      ["requests", "request"],
      ["limits", "limit"],
    ] as const) {
      const amounts = { ...resources[of] };
      const added = fillIn(amounts, defaults[of]);
      if (added.length === 0) continue;
      resources[of] = amounts;
      notes.push(`${added.join(", ")} ${singular} for ${what} ${container.name}`);
    }
    container.resources = resources;
  };
  for (const container of pod.spec.containers) fill(container, "container");
  for (const container of pod.spec.initContainers ?? []) fill(container, "init container");
  if (notes.length > 0)
    pod.metadata.annotations = {
      ...pod.metadata.annotations,
      [ANNOTATION]: `LimitRanger plugin set: ${notes.join("; ")}`,
    };
}

/** What of a pod is outside the range, in the order of the range's items. */
export function podErrors(pod: core.Pod, range: core.LimitRange): readonly string[] {
  return range.spec.limits.flatMap((item) => {
    if (item.type === "Container")
      return [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].flatMap(({ resources }) =>
        containerErrors(item, usageOf(resources)),
      );
    if (item.type === "Pod")
      return containerErrors(item, {
        requests: podRequests(pod.spec, { overhead: false }),
        limits: podLimits(pod.spec, { overhead: false }),
      });
    return [];
  });
}

function usageOf(resources: core.ResourceRequirements | undefined): Usage {
  return { requests: amountsOf(resources?.requests), limits: amountsOf(resources?.limits) };
}

/** What of a claim is outside the range. */
export function claimErrors(claim: core.PersistentVolumeClaim, range: core.LimitRange): readonly string[] {
  const usage = { requests: amountsOf(claim.spec.resources?.requests), limits: new Map() };
  return range.spec.limits
    .filter((item) => item.type === "PersistentVolumeClaim")
    .flatMap((item) => limitErrors(item, usage));
}

function check(attributes: AdmissionAttributes, range: core.LimitRange): void {
  const errors =
    attributes.resource.resource === "pods"
      ? podErrors(attributes.object as core.Pod, range)
      : claimErrors(attributes.object as core.PersistentVolumeClaim, range);
  const distinct = [...new Set(errors)];
  if (distinct.length === 0) return;
  const detail = distinct.length === 1 ? distinct.join("") : `[${distinct.join(", ")}]`;
  throw forbidden(groupResource(attributes.resource), attributes.name, detail);
}

/** A pod's containers never change what they ask for, so only its creation counts; what is going away is let go. */
function concerns(attributes: Omit<AdmissionAttributes, "object">): boolean {
  if (attributes.oldObject?.metadata.deletionTimestamp !== undefined) return false;
  if (isAbout(attributes, "", "pods")) return attributes.operation === "CREATE";
  return isAbout(attributes, "", "persistentvolumeclaims");
}

/** Plugin LimitRanger: containers get the namespace's default requests and limits; pods and claims must keep to its ranges. */
export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  admit(attributes, context) {
    if (!concerns(attributes) || attributes.object === undefined || attributes.resource.resource !== "pods") return;
    return withKnown(rangesOf(attributes.namespace, context), (ranges) => {
      for (const range of ranges) applyDefaults(attributes.object as Draft<core.Pod>, range);
    });
  },
  validate(attributes, context) {
    if (!concerns(attributes) || attributes.object === undefined) return;
    return withKnown(rangesOf(attributes.namespace, context), (ranges) => {
      for (const range of ranges) check(attributes, range);
    });
  },
};
