import type { FeatureName } from "@orchernetes/component";
import { controllers } from "./controllers.ts";

/** The feature gates that have an effect in cloud-controller-manager. */
export const switchedGates: readonly FeatureName[] = [
  "CloudControllerManagerWebhook",
  ...controllers.flatMap(({ gates }) => gates),
];
