import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { controllerRevisions } from "./controller-revision.ts";
import { daemonSets } from "./daemon-set.ts";
import { deployments } from "./deployment.ts";
import { replicaSets } from "./replica-set.ts";
import { statefulSets } from "./stateful-set.ts";

/** Resources of `apps/v1`. */
export const appsV1: readonly ResourceDefinition[] = [
  erase(controllerRevisions),
  erase(daemonSets),
  erase(deployments),
  erase(replicaSets),
  erase(statefulSets),
];
