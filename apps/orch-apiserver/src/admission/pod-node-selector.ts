import type { core } from "@orchernetes/api";
import type { AdmissionAttributes, MutatingAttributes } from "@orchernetes/apiserver";
import { podDraft, refusal } from "./shared/attributes.ts";
import { currentNamespace } from "./shared/current-namespace.ts";
import { type ConfiguredPlugin, withKnown } from "./shared/plugin.ts";

const ANNOTATION = "scheduler.alpha.orchernetes.io/node-selector";
const DEFAULT = "clusterDefaultNodeSelector";

type Labels = Readonly<Record<string, string>>;

/** The labels of a text such as `region=west,disk=ssd`; undefined when it is none. */
function parseNodeSelector(text: string): Labels | undefined {
  const labels: Record<string, string> = {};
  for (const part of text === "" ? [] : text.split(",")) {
    const [key = "", value, ...more] = part.split("=");
    if (value === undefined || more.length > 0) return undefined;
    labels[key.trim()] = value.trim();
  }
  return labels;
}

const labelOf = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

/** Whether two sets of labels have different values of one key. */
const conflict = (a: Labels, b: Labels): boolean =>
  Object.entries(a).some(([key, value]) => (labelOf(b, key) ?? value) !== value);

/** An empty list allows everything. */
const isAllowed = (labels: Labels, whitelist: Labels): boolean =>
  Object.keys(whitelist).length === 0 ||
  Object.entries(labels).every(([key, value]) => labelOf(whitelist, key) === value);

/**
 * Plugin PodNodeSelector: the pods of a namespace run on the nodes that its annotation, or else the cluster's default, selects, and
 * choose only labels that the configuration allows their namespace.
 */
export const podNodeSelector: ConfiguredPlugin = {
  name: "PodNodeSelector",
  create({ configuration }) {
    const selectors = configuration.PodNodeSelector?.podNodeSelectorPluginConfig ?? {};
    const labelsOf = (attributes: AdmissionAttributes | MutatingAttributes, text: string): Labels => {
      const labels = parseNodeSelector(text);
      if (labels !== undefined) return labels;
      throw refusal(
        attributes as AdmissionAttributes,
        `invalid selector: found ${JSON.stringify(text)} for namespace ${JSON.stringify(attributes.namespace)}; want labels such as region=west,disk=ssd`,
      );
    };
    const wantedBy = (attributes: AdmissionAttributes | MutatingAttributes, { metadata }: core.Namespace): Labels =>
      labelsOf(attributes, metadata.annotations?.[ANNOTATION] ?? labelOf(selectors, DEFAULT) ?? "");
    const checkConflict = (attributes: AdmissionAttributes | MutatingAttributes, wanted: Labels, own: Labels) => {
      if (conflict(wanted, own))
        throw refusal(
          attributes as AdmissionAttributes,
          "pod node label selector conflicts with its namespace node label selector",
        );
    };
    return {
      name: "PodNodeSelector",
      handles: (operation) => operation === "CREATE",
      admit(attributes, context) {
        const spec = podDraft(attributes)?.spec;
        if (spec === undefined) return;
        return withKnown(currentNamespace(attributes, context), (namespace) => {
          const wanted = wantedBy(attributes, namespace);
          checkConflict(attributes, wanted, spec.nodeSelector ?? {});
          const merged = { ...wanted, ...spec.nodeSelector };
          if (Object.keys(merged).length > 0) spec.nodeSelector = merged;
        });
      },
      validate(attributes, context) {
        const spec = podDraft(attributes as MutatingAttributes)?.spec;
        if (spec === undefined) return;
        const own = spec.nodeSelector ?? {};
        return withKnown(currentNamespace(attributes, context), (namespace) => {
          checkConflict(attributes, wantedBy(attributes, namespace), own);
          if (!isAllowed(own, labelsOf(attributes, labelOf(selectors, attributes.namespace) ?? "")))
            throw refusal(attributes, "pod node label selector labels conflict with its namespace whitelist");
        });
      },
    };
  },
};
