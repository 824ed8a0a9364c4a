import { type ApiObject, canonicalize } from "@orchernetes/apimachinery";
import * as v1beta3 from "../v1beta3/index.ts";
import { FlowSchema, PriorityLevelConfiguration } from "./types.ts";

const group = "flowcontrol.apiserver.o8s.io";

/** Converts a flow schema to the stored form, which differs in its version only. */
export function flowSchemaToStored(schema: FlowSchema): v1beta3.FlowSchema {
  return canonicalize(v1beta3.FlowSchema, { ...schema, apiVersion: `${group}/v1beta3` });
}

/** Converts a stored flow schema to this version. */
export function flowSchemaFromStored(stored: ApiObject): FlowSchema {
  return canonicalize(FlowSchema, { ...stored, apiVersion: `${group}/v1beta2` });
}

/** Converts a priority level to the stored form, in which its shares have another name. */
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

/** Converts a stored priority level to this version. */
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
