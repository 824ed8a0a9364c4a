import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { admissionregistrationV1 } from "./admissionregistration/v1/index.ts";
import { apiregistrationV1 } from "./apiregistration/v1/index.ts";
import { appsV1 } from "./apps/v1/index.ts";
import { authenticationV1 } from "./authentication/v1/index.ts";
import { authorizationV1 } from "./authorization/v1/index.ts";
import { autoscalingV1 } from "./autoscaling/v1/index.ts";
import { autoscalingV2 } from "./autoscaling/v2/index.ts";
import { batchV1 } from "./batch/v1/index.ts";
import { certificatesV1 } from "./certificates/v1/index.ts";
import { coordinationV1 } from "./coordination/v1/index.ts";
import { coreV1 } from "./core/v1/index.ts";
import { discoveryV1 } from "./discovery/v1/index.ts";
import { eventsV1 } from "./events/v1/index.ts";
import { flowcontrolV1beta2 } from "./flowcontrol/v1beta2/index.ts";
import { flowcontrolV1beta3 } from "./flowcontrol/v1beta3/index.ts";
import { networkingV1 } from "./networking/v1/index.ts";
import { nodeV1 } from "./node/v1/index.ts";
import { policyV1 } from "./policy/v1/index.ts";
import { rbacV1 } from "./rbac/v1/index.ts";
import { schedulingV1 } from "./scheduling/v1/index.ts";
import { storageV1 } from "./storage/v1/index.ts";

/**
 * Every resource that is served by default. Those that are served only on request (`--runtime-config`) are loaded by
 * {@link loadOptionalResources}.
 */
export const allResources: readonly ResourceDefinition[] = Object.freeze([
  ...coreV1,
  ...admissionregistrationV1,
  ...apiregistrationV1,
  ...appsV1,
  ...authenticationV1,
  ...authorizationV1,
  ...autoscalingV1,
  ...autoscalingV2,
  ...batchV1,
  ...certificatesV1,
  ...coordinationV1,
  ...discoveryV1,
  ...eventsV1,
  ...flowcontrolV1beta2,
  ...flowcontrolV1beta3,
  ...networkingV1,
  ...nodeV1,
  ...policyV1,
  ...rbacV1,
  ...schedulingV1,
  ...storageV1,
]);

const keyOf = (group: string, version: string, name: string): string => `${group}/${version}/${name}`;

const byResource = new Map(
  allResources.map((definition) => [keyOf(definition.group, definition.version, definition.plural), definition]),
);

/** The definition of a resource that is served by default; undefined for others. */
export function definitionFor(group: string, version: string, plural: string): ResourceDefinition | undefined {
  return byResource.get(keyOf(group, version, plural));
}

const byKind = new Map(
  allResources.map((definition) => [keyOf(definition.group, definition.version, definition.kind), definition]),
);

/** The definition of a kind that is served by default; undefined for others. */
export function definitionForKind(group: string, version: string, kind: string): ResourceDefinition | undefined {
  return byKind.get(keyOf(group, version, kind));
}
