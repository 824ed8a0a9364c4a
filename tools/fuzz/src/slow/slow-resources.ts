import { apiextensions } from "@orchernetes/api";
import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { everyResource, minimalObject } from "../generate/minimal-objects.ts";
import { customKinds } from "./custom-kinds.ts";

const definitionsOfResources = {
  group: "apiextensions.o8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  scope: "Cluster",
  schema: apiextensions.CustomResourceDefinition,
} as unknown as ResourceDefinition;

/** All resources, CustomResourceDefinitions and some custom ones included. */
export const slowResources: readonly ResourceDefinition[] = [...everyResource, definitionsOfResources, ...customKinds];

const byKey = new Map(slowResources.map((definition) => [keyOf(definition), definition]));

/** The name of a resource in cases: `group/version/plural`. */
export function keyOf({ group, version, plural }: ResourceDefinition): string {
  return `${group}/${version}/${plural}`;
}

/**
 * The resource that a case names.
 * @throws Error when there is none
 */
export function resourceOf(key: string): ResourceDefinition {
  const found = byKey.get(key);
  if (found === undefined) throw new Error(`no resource ${JSON.stringify(key)}`);
  return found;
}

/** Whether a resource is custom: the server learns its schema only from a definition. */
export function isCustom(definition: ResourceDefinition): boolean {
  return customKinds.includes(definition);
}

/** A small object of a kind that validation accepts in most cases. */
export function baseObject(definition: ResourceDefinition, name: string): Record<string, unknown> {
  if (definition !== definitionsOfResources) return minimalObject(definition, name);
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
  return {
    kind: "CustomResourceDefinition",
    apiVersion: "apiextensions.o8s.io/v1",
    metadata: { name: `${name}s.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: `${name}s`, singular: name, kind: "Slow", listKind: "SlowList" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
