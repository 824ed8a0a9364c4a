import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata } from "./phrases.ts";

/** Texts of the types in `types/pod-template.ts`. */
export const documentation: TypeDocumentation = {
  PodTemplateSpec: {
    "": "What pods made from a template look like.",
    metadata:
      "Labels and annotations that each pod gets. The labels must match the selector of the controller that owns the template.",
    spec: "How each pod is to run.",
  },
  PodTemplate: {
    "": "A stored description of pods. No controller of the cluster makes pods from it; workload objects carry their own templates.",
    metadata: objectMetadata,
    template: "The pods that the template describes.",
  },
  PodTemplateList: {
    "": "A list of pod templates.",
    metadata: listMetadata,
    items: "The pod templates.",
  },
};
