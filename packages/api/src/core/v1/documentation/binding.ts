import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { objectMetadata } from "./phrases.ts";

/** Texts of the types in `types/binding.ts`. */
export const documentation: TypeDocumentation = {
  Binding: {
    "": "Assigns a pod to a node. Schedulers create it through the binding subresource of pods; it is not stored itself.",
    metadata: `${objectMetadata} The name is that of the pod. Annotations and labels are copied to the pod; a UID, if given, must be the pod's.`,
    target:
      "The node to run the pod on. Kind is Node (or empty) and name is required. A pod that has a node keeps it: another binding is refused with Conflict.",
  },
};
