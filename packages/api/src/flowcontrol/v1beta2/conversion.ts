import { type ApiObject, canonicalize } from "@orchernetes/apimachinery";
import * as v1beta3 from "../v1beta3/index.ts";
import { FlowSchema, PriorityLevelConfiguration } from "./types.ts";

const group = "flowcontrol.apiserver.o8s.io";

/** The stored form of a flow schema, which differs in its version only. */
export function flowSchemaToStored(schema: FlowSchema): v1beta3.FlowSchema {
  return canonicalize(v1beta3.FlowSchema, { ...schema, apiVersion: `${group}/v1beta3` });
}

/** This version's view of a stored flow schema. */
export function flowSchemaFromStored(stored: ApiObject): FlowSchema {
  return canonicalize(FlowSchema, { ...stored, apiVersion: `${group}/v1beta2` });
}

/** The stored form of a priority level: its shares have another name there. */
export function priorityLevelToStored(level: PriorityLevelConfiguration): v1beta3.PriorityLevelConfiguration {
  const { limited } = level.spec;
  return canonicalize(v1beta3.PriorityLevelConfiguration, {
    ...level,
    apiVersion: `${group}/v1beta3`,
    spec: {
      ...level.spec,
      limited: limited && { ...limited, nominalConcurrencyShares: limited.assuredConcurrencyShares },
    },
  });
}

/** This version's view of a stored priority level. */
export function priorityLevelFromStored(stored: ApiObject): PriorityLevelConfiguration {
  const level = canonicalize(v1beta3.PriorityLevelConfiguration, stored);
  const { limited } = level.spec;
  return canonicalize(PriorityLevelConfiguration, {
    ...level,
    apiVersion: `${group}/v1beta2`,
    spec: {
      ...level.spec,
      limited: limited && { ...limited, assuredConcurrencyShares: limited.nominalConcurrencyShares },
    },
  });
}
