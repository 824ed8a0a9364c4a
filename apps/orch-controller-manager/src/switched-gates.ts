import type { FeatureName } from "@orchernetes/component";
import { controllers } from "./controllers/index.ts";

/** The feature gates that have an effect in orch-controller-manager: those of its controllers. */
export const switchedGates: readonly FeatureName[] = controllers.flatMap(({ gates }) => gates);
