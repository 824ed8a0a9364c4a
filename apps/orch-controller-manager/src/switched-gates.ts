import type { FeatureName } from "@orchernetes/component";
import { controllers } from "./controllers/index.ts";

/** The feature gates that have an effect in orch-controller-manager: those of its controllers, and of its cloud providers. */
export const switchedGates: readonly FeatureName[] = [
  "DisableCloudProviders",
  ...controllers.flatMap(({ gates }) => gates),
];
