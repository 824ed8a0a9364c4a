/**
 * Custom resources: kinds that users define. A CustomResourceDefinition brings a schema for each version of its kind;
 * schemas are compiled into what prunes, defaults and validates objects, and each served version becomes a resource definition
 * like those of built-in kinds, so that all code paths are shared. The controllers here run inside the API server.
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
export { customResourceDefinitions } from "./definition/custom-resource-definitions.ts";
