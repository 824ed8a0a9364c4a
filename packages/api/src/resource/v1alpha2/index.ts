import { resourceDefinitions } from "@orchernetes/apimachinery";
import { podSchedulingContexts } from "./pod-scheduling-context.ts";
import { resourceClaims } from "./resource-claim.ts";
import { resourceClaimTemplates } from "./resource-claim-template.ts";
import { resourceClasses } from "./resource-class.ts";

export * from "./pod-scheduling-context.ts";
export * from "./resource-claim.ts";
export * from "./resource-claim-template.ts";
export * from "./resource-class.ts";

/** Resources of `resource.o8s.io/v1alpha2`. */
export const resourceV1alpha2 = resourceDefinitions(
  podSchedulingContexts,
  resourceClaims,
  resourceClaimTemplates,
  resourceClasses,
);
