import { forbidden } from "@orchernetes/apimachinery";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { groupResource, podDraft } from "./shared/attributes.ts";

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

/** Plugin AlwaysPullImages: every container pulls its image again, so that a private image requires its credentials each time. */
export const alwaysPullImages: AdmissionPlugin = {
  name: "AlwaysPullImages",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  admit(attributes) {
    const spec = podDraft(attributes)?.spec;
    if (spec === undefined) return;
    for (const container of [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])])
      container.imagePullPolicy = "Always";
  },
};
