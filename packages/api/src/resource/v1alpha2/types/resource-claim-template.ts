import { type Infer, ListMeta, list, message, ObjectMeta, object, required, value } from "@orchernetes/apimachinery";
import { ResourceClaimSpec } from "./resource-claim.ts";

const pkg = "resource/v1alpha2";

export const ResourceClaimTemplate = object(pkg, "ResourceClaimTemplate", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, ResourceClaimTemplateSpec),
}));
export interface ResourceClaimTemplate extends Infer<typeof ResourceClaimTemplate> {}

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
