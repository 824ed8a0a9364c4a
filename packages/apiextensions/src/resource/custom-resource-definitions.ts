import { apiextensions } from "@orchernetes/api";
import { defineResource, type ResourceDefinition } from "@orchernetes/apimachinery";
import { applyDefinitionDefaults } from "../definition/defaults.ts";
import { definitionStrategy, statusStrategy } from "./strategy.ts";

/** `apiextensions.o8s.io/v1` customresourcedefinitions. */
export const customResourceDefinitions: ResourceDefinition<apiextensions.CustomResourceDefinition> =
  defineResource<apiextensions.CustomResourceDefinition>({
    group: "apiextensions.o8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    singular: "customresourcedefinition",
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    scope: "Cluster",
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    schema: apiextensions.CustomResourceDefinition,
    storagePrefix: "/registry/apiextensions.o8s.io/customresourcedefinitions",
    applyDefaults: applyDefinitionDefaults,
    strategy: definitionStrategy,
    columns: [
      {
        name: "Name",
        type: "string",
        format: "name",
        description: "Name of the object, unique within its namespace.",
        value: ({ metadata }) => metadata.name ?? "",
      },
      {
        name: "Created At",
        type: "date",
        description: "Time at which the object was created.",
        value: ({ metadata }) => metadata.creationTimestamp ?? "<unknown>",
      },
    ],
    subresources: { status: { type: "status", verbs: ["get", "patch", "update"], strategy: statusStrategy } },
  });
