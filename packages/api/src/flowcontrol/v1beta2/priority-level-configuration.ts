import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs, erase, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { priorityLevelColumns } from "../v1beta3/columns.ts";
import { defaultLimitResponse, defaultShares } from "../v1beta3/defaults.ts";
import { priorityLevelConfigurations as stored } from "../v1beta3/priority-level-configuration.ts";
import { validatePriorityLevel } from "../v1beta3/priority-level-validation.ts";
import { priorityLevelFromStored, priorityLevelToStored } from "./conversion.ts";
import { PriorityLevelConfiguration } from "./types.ts";

/** `flowcontrol.apiserver.o8s.io/v1beta2` priority levels, the older view of those of v1beta3. */
export const priorityLevelConfigurations = defineResource<PriorityLevelConfiguration>({
  group: "flowcontrol.apiserver.o8s.io",
  version: "v1beta2",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  singular: "prioritylevelconfiguration",
  scope: "Cluster",
  deprecation: {
    since: "1.26",
    removed: "1.29",
    replacement: "flowcontrol.apiserver.o8s.io/v1beta3 PriorityLevelConfiguration",
  },
  verbs: allVerbs,
  schema: PriorityLevelConfiguration,
  storagePrefix: "/registry/prioritylevelconfigurations",
  storedAs: { definition: erase(stored), toStored: priorityLevelToStored, fromStored: priorityLevelFromStored },
  applyDefaults: ({ spec: { limited } }) => {
    if (limited !== undefined) {
      limited.assuredConcurrencyShares ||= defaultShares;
      limited.lendablePercent ??= 0;
      defaultLimitResponse(limited.limitResponse);
    }
  },
  strategy: {
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: (level) => validatePriorityLevel(priorityLevelToStored(level), "assuredConcurrencyShares"),
    prepareForUpdate: (object, old) => keep(object, old, "status"),
    validateUpdate: (level) => validatePriorityLevel(priorityLevelToStored(level), "assuredConcurrencyShares"),
    generation: ({ spec }) => spec,
  },
  columns: priorityLevelColumns(priorityLevelToStored),
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
