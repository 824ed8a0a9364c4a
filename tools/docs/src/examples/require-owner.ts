import { forbidden } from "@orchernetes/apimachinery";
import type { AdmissionPlugin } from "@orchernetes/apiserver";

const LABEL = "example.com/owner";

/** Plugin RequireOwner: a namespace must have a label that names its owner. */
export const requireOwner: AdmissionPlugin = {
  name: "RequireOwner",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate({ resource, name, object }) {
    if (resource.group !== "" || resource.resource !== "namespaces") return;
    if (object?.metadata.labels?.[LABEL]) return;
    throw forbidden(
      { group: "", plural: "namespaces" },
      name,
      `label ${LABEL} is missing; expected the name of a team`,
    );
  },
};
