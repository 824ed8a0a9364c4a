import { core } from "@orchernetes/api";
import { isObject } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, MutatingAttributes } from "@orchernetes/apiserver";
import { plainRefusal, podDraft } from "./shared/attributes.ts";
import { currentNamespace } from "./shared/current-namespace.ts";
import { type ConfiguredPlugin, withKnown } from "./shared/plugin.ts";
import { covers, mergeTolerations } from "./shared/tolerations.ts";

const DEFAULTS = "scheduler.alpha.orchernetes.io/defaultTolerations";
const WHITELIST = "scheduler.alpha.orchernetes.io/tolerationsWhitelist";

const memoryPressure: core.Toleration = {
  key: "node.orchernetes.io/memory-pressure",
  operator: "Exists",
  effect: "NoSchedule",
};

/** The tolerations of a namespace's annotation; undefined: it has none, or a text that is no list of tolerations. */
function parseTolerations(text: string): readonly core.Toleration[] | undefined {
  if (text === "") return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed === null) return [];
    return Array.isArray(parsed) && parsed.every(isObject) ? (parsed as unknown as core.Toleration[]) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Plugin PodTolerationRestriction: pods get the tolerations that their namespace, or else the cluster, has for all, and have none but
 * those that its whitelist covers. Pods with resources tolerate pressure on memory.
 */
export const podTolerationRestriction: ConfiguredPlugin = {
  name: "PodTolerationRestriction",
  create({ configuration }) {
    const cluster = configuration.PodTolerationRestriction ?? { default: [], whitelist: [] };
    const annotated = (
      attributes: AdmissionAttributes | MutatingAttributes,
      { metadata }: core.Namespace,
      key: string,
    ): readonly core.Toleration[] | undefined => {
      const text = metadata.annotations?.[key];
      if (text === undefined) return undefined;
      const tolerations = parseTolerations(text);
      if (tolerations !== undefined) return tolerations;
      throw plainRefusal(
        `annotation ${key} of namespace ${JSON.stringify(attributes.namespace)} is no list of tolerations: found ${JSON.stringify(text)}`,
      );
    };
    return {
      name: "PodTolerationRestriction",
      handles: (operation) => operation === "CREATE" || operation === "UPDATE",
      admit(attributes, context) {
        const pod = podDraft(attributes);
        if (pod === undefined) return;
        const add = (tolerations: readonly core.Toleration[]) => {
          const burdened = core.podQosClass(pod.spec) === "BestEffort" ? [] : [memoryPressure];
          const extra = [...tolerations, ...burdened].map((toleration) => ({ ...toleration }));
          if (extra.length > 0) pod.spec.tolerations = mergeTolerations(pod.spec.tolerations ?? [], extra);
        };
        if (attributes.operation !== "CREATE") return add([]);
        return withKnown(currentNamespace(attributes, context), (namespace) =>
          add(annotated(attributes, namespace, DEFAULTS) ?? cluster.default),
        );
      },
      validate(attributes, context) {
        const tolerations = podDraft(attributes as MutatingAttributes)?.spec.tolerations ?? [];
        if (tolerations.length === 0) return;
        return withKnown(currentNamespace(attributes, context), (namespace) => {
          const own = annotated(attributes, namespace, WHITELIST);
          const allowed = own ?? cluster.whitelist;
          if (allowed.length > 0 && !tolerations.every((one) => allowed.some((wide) => covers(wide, one))))
            throw plainRefusal(
              `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own === undefined ? "cluster" : "namespace"} whitelist`,
            );
        });
      },
    };
  },
};
