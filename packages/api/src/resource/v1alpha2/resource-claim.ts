import { type Draft, defineResource, field } from "@orchernetes/apimachinery";
import { keep, keepMetadata } from "../../meta/keep.ts";
import { allVerbs, subresourceVerbs } from "../../meta/verbs.ts";
import { age, column, immutable, name } from "../../shared/index.ts";
import { validateClaimSpec, validateClaimStatus } from "./claim-validation.ts";
import { ResourceClaim, type ResourceClaimSpec } from "./types/resource-claim.ts";

/** Claims wait for their first user unless they say otherwise. */
export function defaultClaimSpec(spec: Draft<ResourceClaimSpec>): void {
  spec.allocationMode ||= "WaitForFirstConsumer";
}

function stateOf({ metadata, status = {} }: ResourceClaim): string {
  const leaving = Boolean(metadata.deletionTimestamp);
  const states = leaving ? ["deleted"] : [];
  if (status.allocation === undefined) {
    if (!leaving) states.push("pending");
  } else {
    states.push("allocated");
    if ((status.reservedFor ?? []).length > 0) states.push("reserved");
    else if (leaving || status.deallocationRequested === true) states.push("deallocating");
  }
  return states.join(",");
}

/** Asks for something of a resource class, for one pod or several. */
export const resourceClaims = defineResource<ResourceClaim>({
  group: "resource.o8s.io",
  version: "v1alpha2",
  kind: "ResourceClaim",
  plural: "resourceclaims",
  singular: "resourceclaim",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: ResourceClaim,
  storagePrefix: "/registry/resourceclaims",
  applyDefaults: ({ spec }) => defaultClaimSpec(spec),
  strategy: {
    prepareForCreate: (claim) => {
      claim.status = {};
    },
    validate: ({ spec }) => validateClaimSpec(spec, field("spec")),
    prepareForUpdate: (claim, old) => keep(claim, old, "status"),
    validateUpdate: ({ spec }, old) => [
      ...immutable(spec, old.spec, field("spec")),
      ...validateClaimSpec(spec, field("spec")),
    ],
  },
  columns: [
    name(),
    column("ResourceClassName", "string", "Class that is asked of.", ({ spec }) => spec.resourceClassName),
    column("AllocationMode", "string", "When it is allocated.", ({ spec }) => spec.allocationMode ?? ""),
    column("State", "string", "How far the claim is.", stateOf),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (claim, old) => {
          keep(claim, old, "spec");
          keepMetadata(claim, old);
        },
        validateUpdate: validateClaimStatus,
      },
    },
  },
});
