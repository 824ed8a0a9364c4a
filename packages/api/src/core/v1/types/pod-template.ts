import { type Infer, ListMeta, list, message, ObjectMeta, object, required, value } from "@orchernetes/apimachinery";
import { PodSpec } from "./pod.ts";

const pkg = "core/v1";

/** The metadata and the spec of pods that are created from a template. */
export const PodTemplateSpec = message(pkg, "PodTemplateSpec", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, PodSpec),
}));
export interface PodTemplateSpec extends Infer<typeof PodTemplateSpec> {}

/** A stored template of pods. No controller uses it: workloads contain their own templates. */
export const PodTemplate = object(pkg, "PodTemplate", () => ({
  metadata: value(1, ObjectMeta),
  template: value(2, PodTemplateSpec),
}));
export interface PodTemplate extends Infer<typeof PodTemplate> {}

export const PodTemplateList = object(pkg, "PodTemplateList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(PodTemplate)),
}));
export interface PodTemplateList extends Infer<typeof PodTemplateList> {}
