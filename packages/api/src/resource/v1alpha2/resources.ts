import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { podSchedulingContexts } from "./pod-scheduling-context.ts";
import { resourceClaims } from "./resource-claim.ts";
import { resourceClaimTemplates } from "./resource-claim-template.ts";
import { resourceClasses } from "./resource-class.ts";

/** Resources of `resource.o8s.io/v1alpha2`. */
export const resourceV1alpha2: readonly ResourceDefinition[] = [
  erase(podSchedulingContexts),
  erase(resourceClaims),
  erase(resourceClaimTemplates),
  erase(resourceClasses),
];
