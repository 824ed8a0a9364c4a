/**
 * Custom resources: kinds that users define with a CustomResourceDefinition.
 *
 * Each version of a definition has a schema. It is compiled into functions that prune, default and validate objects, and each served
 * version becomes a resource definition like those of built-in kinds, so that all code paths are shared. The controllers run inside
 * the API server: they decide about names, set the conditions, and delete the objects of a deleted definition.
 *
 * @example
 * ```ts
 * import { customResourceDefinitions } from "@orchernetes/apiextensions";
 * import { createClient, loadClientConfig } from "@orchernetes/client";
 *
 * const client = createClient(loadClientConfig(".orch/admin.orchconfig"));
 * const { items } = await client.resource(customResourceDefinitions).list();
 * client.close();
 * ```
 *
 * @module
 */

export {
  type CustomResources,
  type CustomResourcesOptions,
  startCustomResources,
} from "./controllers/custom-resources.ts";
export type {
  ConversionClient,
  ConversionWebhooks,
  ObservedConversion,
} from "./conversion/webhook-converter.ts";
export { customResourceDefinitions } from "./resource/custom-resource-definitions.ts";
export type { RuleOptions } from "./rules/rule-tree.ts";
