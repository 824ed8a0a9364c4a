import type { core } from "@orchernetes/api";
import { type Draft, forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin, MutatingAttributes } from "@orchernetes/apiserver";
import { groupResource, podDraft, refusal } from "./shared/attributes.ts";

/** Plugin AlwaysAdmit: admits everything. */
export const alwaysAdmit: AdmissionPlugin = { name: "AlwaysAdmit", handles: () => false };

/** Plugin AlwaysDeny: refuses every write. */
export const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  handles: () => true,
  validate({ resource, name }) {
    throw forbidden(groupResource(resource), name, "admission control is denying all modifications");
  },
};

const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;

const imagesOf = (spec: core.PodSpec): readonly (string | undefined)[] =>
  containerLists.flatMap((list) => (spec[list] ?? []).map(({ image }) => image));

/** The spec of a pod that brings images; undefined for other writes. Pods from before the plugin was switched on stay writable. */
function specWithNewImages(attributes: MutatingAttributes): Draft<core.PodSpec> | undefined {
  const spec = podDraft(attributes)?.spec;
  const old = attributes.oldObject as core.Pod | undefined;
  if (spec === undefined || attributes.operation !== "UPDATE" || old === undefined) return spec;
  const known = new Set(imagesOf(old.spec));
  return imagesOf(spec as core.PodSpec).every((image) => known.has(image)) ? undefined : spec;
}

/** Plugin AlwaysPullImages: every container pulls its image again, so that a private image requires its credentials each time. */
export const alwaysPullImages: AdmissionPlugin = {
  name: "AlwaysPullImages",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  admit(attributes) {
    const spec = specWithNewImages(attributes);
    if (spec === undefined) return;
    for (const list of containerLists) for (const container of spec[list] ?? []) container.imagePullPolicy = "Always";
  },
  // Webhooks see the pod later, and may have chosen otherwise.
  validate(attributes: AdmissionAttributes) {
    const spec = specWithNewImages(attributes as MutatingAttributes);
    if (spec === undefined) return;
    for (const list of containerLists)
      for (const [index, { imagePullPolicy = "" }] of (spec[list] ?? []).entries())
        if (imagePullPolicy !== "Always")
          throw refusal(
            attributes,
            `spec.${list}[${index}].imagePullPolicy: Unsupported value: ${JSON.stringify(imagePullPolicy)}: supported values: "Always"`,
          );
  },
};
