import { type core, node } from "@orchernetes/api";
import { type ApiError, type Draft, isNotFound } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { sameResourceList } from "@orchernetes/component-helpers";
import { isAbout, objectsAs, podDraft, refusal } from "./shared/attributes.ts";
import { mergeTolerations } from "./shared/tolerations.ts";

type Refuse = (detail: string) => ApiError;

async function classOf(name: string, context: AdmissionContext, refuse: Refuse): Promise<node.RuntimeClass> {
  const store = context.registry.forDefinition(node.runtimeClasses);
  const ref = { namespace: "", name };
  try {
    return store.cached(ref) ?? (await store.get(ref, { signal: context.signal }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw refuse(`pod rejected: RuntimeClass "${name}" not found`);
  }
}

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function setOverhead(spec: Draft<core.PodSpec>, { overhead }: node.RuntimeClass, refuse: Refuse): void {
  if (overhead === undefined) return;
  if (spec.overhead !== undefined && !sameResourceList(spec.overhead, overhead.podFixed)) throw refuse(MISMATCH);
  spec.overhead = { ...overhead.podFixed };
}

function setScheduling(spec: Draft<core.PodSpec>, { scheduling }: node.RuntimeClass, refuse: Refuse): void {
  if (scheduling === undefined) return;
  const { nodeSelector = {}, tolerations = [] } = scheduling;
  const merged = { ...spec.nodeSelector };
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = Object.hasOwn(merged, key) ? merged[key] : undefined;
    if (own !== undefined && own !== value)
      throw refuse(
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    merged[key] = value;
  }
  if (Object.keys(merged).length > 0) spec.nodeSelector = merged;
  const added = tolerations.map((toleration) => ({ ...toleration }));
  if (added.length > 0) spec.tolerations = mergeTolerations(spec.tolerations ?? [], added);
}

/** Plugin RuntimeClass: a pod gets its runtime class's overhead, node selector and tolerations, and may claim no other overhead. */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  handles: (operation) => operation === "CREATE",
  admit(attributes, context) {
    const spec = podDraft(attributes)?.spec;
    if (spec?.runtimeClassName === undefined) return;
    const refuse: Refuse = (detail) => refusal(attributes as AdmissionAttributes, detail);
    return classOf(spec.runtimeClassName, context, refuse).then((found) => {
      setOverhead(spec, found, refuse);
      setScheduling(spec, found, refuse);
    });
  },
  validate(attributes, context) {
    if (!isAbout(attributes, "", "pods")) return;
    const { object } = objectsAs<core.Pod>(attributes);
    if (object?.spec.runtimeClassName === undefined && object?.spec.overhead === undefined) return;
    return checkOverhead(object.spec, context, (detail) => refusal(attributes, detail));
  },
};

async function checkOverhead(spec: core.PodSpec, context: AdmissionContext, refuse: Refuse): Promise<void> {
  const { runtimeClassName, overhead } = spec;
  const wanted =
    runtimeClassName === undefined ? undefined : (await classOf(runtimeClassName, context, refuse)).overhead;
  if (wanted !== undefined) {
    if (!sameResourceList(overhead, wanted.podFixed)) throw refuse(MISMATCH);
  } else if (overhead !== undefined)
    throw refuse("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}
