import { defineResource, type FieldError, field } from "@orchernetes/apimachinery";
import { column, containerImages, containerNames, formatLabels, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { defaultPodTemplateSpec } from "./defaults/pod-spec.ts";
import { PodTemplate } from "./types/pod-template.ts";
import { updating, type ValidationContext } from "./validation/context.ts";
import { validatePodTemplateSpec } from "./validation/pod-template.ts";
import { podWarnings } from "./warnings.ts";

const validate = ({ template }: PodTemplate, ctx: ValidationContext): FieldError[] =>
  validatePodTemplateSpec(template, field("template"), ctx);

/** `v1` pod templates. */
export const podTemplates = defineResource<PodTemplate>({
  group: "",
  version: "v1",
  kind: "PodTemplate",
  plural: "podtemplates",
  singular: "podtemplate",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: PodTemplate,
  storagePrefix: "/registry/podtemplates",
  applyDefaults: (object) => {
    object.template ??= { metadata: {}, spec: { containers: [] } };
    defaultPodTemplateSpec(object.template);
  },
  strategy: {
    validate,
    validateUpdate: (object, old, ctx) => validate(object, updating(ctx, old.template.spec)),
    warnings: ({ template }) => podWarnings(template, "template"),
    generation: ({ template }) => template,
    returnDeletedObject: true,
  },
  columns: [
    name(),
    containerNames(({ template }) => template, 0),
    containerImages(({ template }) => template, 0),
    column("Pod Labels", "string", "Labels of pods made from it.", ({ template }) =>
      formatLabels(template.metadata.labels),
    ),
  ],
});
