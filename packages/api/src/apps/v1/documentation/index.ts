import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { controllerRevisionDocumentation } from "./controller-revision.ts";
import { daemonSetDocumentation } from "./daemon-set.ts";
import { deploymentDocumentation } from "./deployment.ts";
import { replicaSetDocumentation } from "./replica-set.ts";
import { statefulSetDocumentation } from "./stateful-set.ts";

/** Texts of the types of apps/v1. */
export const documentation: TypeDocumentation = {
  ...controllerRevisionDocumentation,
  ...daemonSetDocumentation,
  ...deploymentDocumentation,
  ...replicaSetDocumentation,
  ...statefulSetDocumentation,
};
