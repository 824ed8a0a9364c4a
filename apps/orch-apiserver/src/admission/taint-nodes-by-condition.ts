import type { core } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout } from "./shared/attributes.ts";

const NOT_READY = { key: "node.orchernetes.io/not-ready", effect: "NoSchedule" } as const;

/** Plugin TaintNodesByCondition: a new node takes no pods until the node lifecycle controller has seen it ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  handles: (operation) => operation === "CREATE",
  admit(attributes) {
    if (!isAbout(attributes, "", "nodes") || attributes.object === undefined) return;
    const { spec } = attributes.object as Draft<core.Node>;
    const taints = spec.taints ?? [];
    if (taints.some((t) => t.key === NOT_READY.key && t.effect === NOT_READY.effect)) return;
    spec.taints = [...taints, { ...NOT_READY }];
  },
};
