import type { FeatureName } from "@orchernetes/component";
import { orchletGates } from "@orchernetes/config";

/** The feature gates that switch something in orchlet. */
export const switchedGates: readonly FeatureName[] = orchletGates;
