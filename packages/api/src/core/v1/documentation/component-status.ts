import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { conditionStatus, listMetadata, objectMetadata } from "./phrases.ts";

/** Texts of the types in `types/component-status.ts`. */
export const documentation: TypeDocumentation = {
  ComponentStatus: {
    "": "Health of a control plane component, asked for at the moment of the request. Deprecated since 1.19: use the health endpoints of the components instead.",
    metadata: objectMetadata,
    conditions: "What was found, one condition for each type.",
  },
  ComponentCondition: {
    "": "One finding about a component.",
    type: "What was looked at. Healthy is the only type.",
    status: conditionStatus,
    message: "What the component answered to the health check.",
    error: "Why the health check could not be made, if it failed.",
  },
  ComponentStatusList: {
    "": "Health of all known components. Deprecated since 1.19.",
    metadata: listMetadata,
    items: "One entry for each component.",
  },
};
