import {
  defineResource,
  type FieldError,
  field,
  type Infer,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  required,
  validateAnnotations,
  validateLabels,
  value,
} from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable } from "../../shared/immutable.ts";
import { defaultClaimSpec, ResourceClaimSpec, validateClaimSpec } from "./resource-claim.ts";

const pkg = "resource/v1alpha2";

/**
 * A template of claims: each pod that refers to it gets a claim of its own, which is deleted with the pod. Source: KEP-3063.
 */
export const ResourceClaimTemplate = object(pkg, "ResourceClaimTemplate", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, ResourceClaimTemplateSpec),
}));
export interface ResourceClaimTemplate extends Infer<typeof ResourceClaimTemplate> {}

/** What claims made from a template look like. */
export const ResourceClaimTemplateSpec = message(pkg, "ResourceClaimTemplateSpec", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, ResourceClaimSpec),
}));
export interface ResourceClaimTemplateSpec extends Infer<typeof ResourceClaimTemplateSpec> {}

export const ResourceClaimTemplateList = object(pkg, "ResourceClaimTemplateList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ResourceClaimTemplate)),
}));
export interface ResourceClaimTemplateList extends Infer<typeof ResourceClaimTemplateList> {}

function validate({ spec }: ResourceClaimTemplate): FieldError[] {
  const path = field("spec");
  const { labels = {}, annotations = {} } = spec.metadata;
  return [
    ...validateLabels(labels, path.child("metadata", "labels")),
    ...validateAnnotations(annotations, path.child("metadata", "annotations")),
    ...validateClaimSpec(spec.spec, path.child("spec")),
  ];
}

/** `resource.o8s.io/v1alpha2` claim templates: one claim is created for each pod that names the template. */
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
    column("ResourceClassName", "string", "Requested class.", ({ spec }) => spec.spec.resourceClassName),
    column("AllocationMode", "string", "When it is allocated.", ({ spec }) => spec.spec.allocationMode ?? ""),
    age(),
  ],
});
