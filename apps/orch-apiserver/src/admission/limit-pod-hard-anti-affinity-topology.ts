import type { core } from "@orchernetes/api";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout, objectsAs, refusal } from "./shared/attributes.ts";

const HOSTNAME = "orchernetes.io/hostname";

/** Plugin LimitPodHardAntiAffinityTopology: a pod may keep others off its node, and off nothing larger. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: "LimitPodHardAntiAffinityTopology",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(attributes) {
    if (!isAbout(attributes, "", "pods")) return;
    const { object: pod } = objectsAs<core.Pod>(attributes);
    const terms = pod?.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const wrong = terms.find(({ topologyKey }) => topologyKey !== HOSTNAME);
    if (wrong !== undefined)
      throw refusal(
        attributes,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wrong.topologyKey} but only key ${HOSTNAME} is allowed`,
      );
  },
};
