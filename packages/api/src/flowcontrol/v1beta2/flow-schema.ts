import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs, erase, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { flowSchemaColumns } from "../v1beta3/columns.ts";
import { defaultFlowSchemaSpec } from "../v1beta3/defaults.ts";
import { flowSchemas as stored } from "../v1beta3/flow-schema.ts";
import { validateFlowSchema } from "../v1beta3/flow-schema-validation.ts";
import { flowSchemaFromStored, flowSchemaToStored } from "./conversion.ts";
import { FlowSchema } from "./types.ts";

/** `flowcontrol.apiserver.o8s.io/v1beta2` flow schemas, the older view of those of v1beta3. */
export const flowSchemas = defineResource<FlowSchema>({
  group: "flowcontrol.apiserver.o8s.io",
  version: "v1beta2",
  kind: "FlowSchema",
  plural: "flowschemas",
  singular: "flowschema",
  scope: "Cluster",
  deprecation: {
    since: "1.26",
    removed: "1.29",
    replacement: "flowcontrol.apiserver.o8s.io/v1beta3 FlowSchema",
  },
  verbs: allVerbs,
  schema: FlowSchema,
  storagePrefix: "/registry/flowschemas",
  storedAs: { definition: erase(stored), toStored: flowSchemaToStored, fromStored: flowSchemaFromStored },
  applyDefaults: ({ spec }) => defaultFlowSchemaSpec(spec),
  strategy: {
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: (schema) => validateFlowSchema(flowSchemaToStored(schema)),
    prepareForUpdate: (object, old) => keep(object, old, "status"),
    validateUpdate: (schema) => validateFlowSchema(flowSchemaToStored(schema)),
    generation: ({ spec }) => spec,
  },
  columns: flowSchemaColumns(flowSchemaToStored),
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
