import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { flowSchemaColumns } from "./columns.ts";
import { defaultFlowSchemaSpec } from "./defaults.ts";
import { validateFlowSchema } from "./flow-schema-validation.ts";
import { FlowSchema } from "./types.ts";

/** `flowcontrol.apiserver.o8s.io/v1beta3` flow schemas: assign requests to priority levels (KEP-1040). */
export const flowSchemas = defineResource<FlowSchema>({
  group: "flowcontrol.apiserver.o8s.io",
  version: "v1beta3",
  kind: "FlowSchema",
  plural: "flowschemas",
  singular: "flowschema",
  scope: "Cluster",
  verbs: allVerbs,
  schema: FlowSchema,
  storagePrefix: "/registry/flowschemas",
  applyDefaults: ({ spec }) => defaultFlowSchemaSpec(spec),
  strategy: {
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: validateFlowSchema,
    prepareForUpdate: (object, old) => keep(object, old, "status"),
    validateUpdate: validateFlowSchema,
    generation: ({ spec }) => spec,
  },
  columns: flowSchemaColumns((schema) => schema),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (object, old) => {
          keep(object, old, "spec");
          keepMetadata(object, old);
        },
      },
    },
  },
});
