import { defineResource, type FieldError, field, validateAnnotations, validateLabels } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { age, column, immutable, name } from "../../shared/index.ts";
import { validateClaimSpec } from "./claim-validation.ts";
import { defaultClaimSpec } from "./resource-claim.ts";
import { ResourceClaimTemplate } from "./types/resource-claim-template.ts";

function validate({ spec }: ResourceClaimTemplate): FieldError[] {
  const path = field("spec");
  const { labels = {}, annotations = {} } = spec.metadata;
  return [
    ...validateLabels(labels, path.child("metadata", "labels")),
    ...validateAnnotations(annotations, path.child("metadata", "annotations")),
    ...validateClaimSpec(spec.spec, path.child("spec")),
  ];
}

/** What claims are made from, one for each pod that names the template. */
export const resourceClaimTemplates = defineResource<ResourceClaimTemplate>({
  group: "resource.o8s.io",
  version: "v1alpha2",
  kind: "ResourceClaimTemplate",
  plural: "resourceclaimtemplates",
  singular: "resourceclaimtemplate",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: ResourceClaimTemplate,
  storagePrefix: "/registry/resourceclaimtemplates",
  applyDefaults: ({ spec }) => defaultClaimSpec(spec.spec),
  strategy: {
    validate,
    validateUpdate: (template, old) => [...immutable(template.spec, old.spec, field("spec")), ...validate(template)],
  },
  columns: [
    name(),
    column("ResourceClassName", "string", "Class that is asked of.", ({ spec }) => spec.spec.resourceClassName),
    column("AllocationMode", "string", "When it is allocated.", ({ spec }) => spec.spec.allocationMode ?? ""),
    age(),
  ],
});
