import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { priorityLevelColumns } from "./columns.ts";
import { defaultPriorityLevel } from "./defaults.ts";
import { validatePriorityLevel } from "./priority-level-validation.ts";
import { PriorityLevelConfiguration } from "./types.ts";

/**
 * `flowcontrol.apiserver.o8s.io/v1beta3` priority levels: limit the requests of a level that execute at the same time
 * (KEP-1040).
 */
export const priorityLevelConfigurations = defineResource<PriorityLevelConfiguration>({
  group: "flowcontrol.apiserver.o8s.io",
  version: "v1beta3",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  singular: "prioritylevelconfiguration",
  scope: "Cluster",
  verbs: allVerbs,
  schema: PriorityLevelConfiguration,
  storagePrefix: "/registry/prioritylevelconfigurations",
  applyDefaults: defaultPriorityLevel,
  strategy: {
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: (level) => validatePriorityLevel(level),
    prepareForUpdate: (object, old) => keep(object, old, "status"),
    validateUpdate: (level) => validatePriorityLevel(level),
    generation: ({ spec }) => spec,
  },
  columns: priorityLevelColumns((level) => level),
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
