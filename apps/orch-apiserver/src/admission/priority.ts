import { type core, scheduling } from "@orchernetes/api";
import { type Draft, forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { groupResource, isAbout, objectsAs, podDraft, refusal } from "./shared/attributes.ts";
import { withKnown } from "./shared/plugin.ts";

type PriorityClass = Pick<scheduling.PriorityClass, "value" | "preemptionPolicy" | "globalDefault"> & {
  readonly name: string;
};

/** The classes that every cluster has, known here so that system pods can be made before they are stored. */
const SYSTEM_CLASSES: readonly PriorityClass[] = [
  { name: "system-node-critical", value: 2_000_001_000 },
  { name: "system-cluster-critical", value: 2_000_000_000 },
];

function classes(
  context: AdmissionContext,
): readonly scheduling.PriorityClass[] | Promise<readonly scheduling.PriorityClass[]> {
  return context.registry.forDefinition(scheduling.priorityClasses).recentList();
}

/** The class a pod without one gets: of several global defaults the one with the lowest value. */
function globalDefault(all: readonly scheduling.PriorityClass[]): PriorityClass | undefined {
  let chosen: PriorityClass | undefined;
  for (const { metadata, globalDefault, value, preemptionPolicy } of all)
    if (globalDefault && (chosen === undefined || value < chosen.value))
      chosen = { name: metadata.name ?? "", value, ...(preemptionPolicy && { preemptionPolicy }) };
  return chosen;
}

async function findClass(name: string, context: AdmissionContext): Promise<PriorityClass | undefined> {
  const store = context.registry.forDefinition(scheduling.priorityClasses);
  const ref = { namespace: "", name };
  const stored = store.cached(ref) ?? (await store.get(ref, { signal: context.signal }).catch(() => undefined));
  if (stored !== undefined) return { ...stored, name };
  return SYSTEM_CLASSES.find((c) => c.name === name);
}

/** Gives a new pod what its class, or the default one, says; refuses what the client chose otherwise. */
function setPriority(
  spec: Draft<core.PodSpec>,
  found: PriorityClass | undefined,
  refuse: (detail: string) => Error,
): void {
  const wanted = spec.priorityClassName;
  if (wanted && found === undefined) throw refuse(`no PriorityClass with name ${wanted} was found`);
  const value = found?.value ?? 0;
  if (spec.priority !== undefined && spec.priority !== value)
    throw refuse(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  const policy = found?.preemptionPolicy ?? "PreemptLowerPriority";
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refuse(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  if (found !== undefined && !wanted) spec.priorityClassName = found.name;
  spec.priority = value;
  spec.preemptionPolicy = policy as typeof spec.preemptionPolicy;
}

/** Plugin Priority: turns a pod's priorityClassName into its priority and preemption policy, which clients must not set. */
export const priority: AdmissionPlugin = {
  name: "Priority",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  admit(attributes, context) {
    const pod = podDraft(attributes);
    if (pod === undefined) return;
    const { spec } = pod;
    if (attributes.operation === "UPDATE") {
      // A write that leaves the computed fields out must not unset them.
      const old = (attributes.oldObject as core.Pod | undefined)?.spec;
      if (spec.priority === undefined && old?.priority !== undefined) spec.priority = old.priority;
      if (spec.preemptionPolicy === undefined && old?.preemptionPolicy !== undefined)
        spec.preemptionPolicy = old.preemptionPolicy;
      return;
    }
    const refuse = (detail: string) => refusal(attributes as AdmissionAttributes, detail);
    const wanted = spec.priorityClassName;
    if (wanted) return findClass(wanted, context).then((found) => setPriority(spec, found, refuse));
    return withKnown(classes(context), (all) => setPriority(spec, globalDefault(all), refuse));
  },
  validate(attributes, context) {
    if (!isAbout(attributes, "scheduling.o8s.io", "priorityclasses")) return;
    const { object } = objectsAs<scheduling.PriorityClass>(attributes);
    if (!object?.globalDefault) return;
    return withKnown(classes(context), (all) => {
      const other = all.find((c) => c.globalDefault && c.metadata.name !== object.metadata.name);
      if (other !== undefined)
        throw forbidden(
          { group: "scheduling.o8s.io", plural: "priorityclasses" },
          attributes.name,
          `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
        );
    });
  },
};

/** The server's own rule, regardless of the plugins: the classes that it creates itself cannot be deleted. */
export const systemPriorityClassProtection: AdmissionPlugin = {
  name: "SystemPriorityClassProtection",
  handles: (operation) => operation === "DELETE",
  validate(attributes) {
    const { resource, oldObject } = attributes;
    // Deletions of collections have no name.
    const name = oldObject?.metadata.name ?? attributes.name;
    if (!isAbout(attributes, "scheduling.o8s.io", "priorityclasses")) return;
    if (Object.hasOwn(scheduling.systemPriorityClasses, name))
      throw forbidden(groupResource(resource), name, "this is a system priority class and cannot be deleted");
  },
};
