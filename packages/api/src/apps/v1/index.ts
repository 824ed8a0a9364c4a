import { resourceDefinitions } from "@orchernetes/apimachinery";
import { controllerRevisions } from "./controller-revision.ts";
import { daemonSets } from "./daemon-set.ts";
import { deployments } from "./deployment.ts";
import { replicaSets } from "./replica-set.ts";
import { statefulSets } from "./stateful-set.ts";

export * from "./controller-revision.ts";
export * from "./daemon-set.ts";
export * from "./deployment.ts";
export * from "./replica-set.ts";
export * from "./stateful-set.ts";
export * from "./types/daemon-set.ts";
export * from "./types/deployment.ts";
export * from "./types/replica-set.ts";
export * from "./types/stateful-set.ts";

/** Resources of `apps/v1`. */
export const appsV1 = resourceDefinitions(controllerRevisions, daemonSets, deployments, replicaSets, statefulSets);
