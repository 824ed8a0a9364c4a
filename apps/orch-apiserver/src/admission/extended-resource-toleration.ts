import { core } from "@orchernetes/api";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { podDraft } from "./shared/attributes.ts";

const matches = (a: core.Toleration, b: core.Toleration): boolean =>
  (a.key ?? "") === (b.key ?? "") &&
  (a.effect ?? "") === (b.effect ?? "") &&
  (a.operator ?? "") === (b.operator ?? "") &&
  (a.value ?? "") === (b.value ?? "");

/**
 * Plugin ExtendedResourceToleration: a pod that requests an extended resource tolerates the taint of the same name, which keeps other
 * pods off nodes with such a resource.
 */
export const extendedResourceToleration: AdmissionPlugin = {
  name: "ExtendedResourceToleration",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  admit(attributes) {
    const spec = podDraft(attributes)?.spec;
    if (spec === undefined) return;
    const requested = new Set<string>();
    for (const { resources } of [...spec.containers, ...(spec.initContainers ?? [])])
      for (const name of Object.keys(resources?.requests ?? {})) if (core.isExtendedResource(name)) requested.add(name);
    for (const key of [...requested].sort()) {
      const wanted = { key, operator: "Exists" as const, effect: "NoSchedule" as const };
      const kept = (spec.tolerations ?? []).filter((toleration) => !matches(toleration, wanted));
      if (kept.length === (spec.tolerations ?? []).length) spec.tolerations = [...kept, wanted];
    }
  },
};
