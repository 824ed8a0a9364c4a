import type { FeatureName } from "@orchernetes/component";
import { orchletGates } from "@orchernetes/config";

/** The feature gates that have an effect in orchlet. */
export const switchedGates: readonly FeatureName[] = orchletGates;
