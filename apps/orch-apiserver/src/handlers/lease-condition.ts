import { coordination } from "@orchernetes/api";
import { ApiError, type ApiObject, badRequest, conflict, type GroupResource } from "@orchernetes/apimachinery";
import type { RequestContext, RequestInfo, WriteCondition } from "@orchernetes/apiserver";
import { LEASE_NOT_HELD, leaseClaimHeader, parseLeaseClaim } from "@orchernetes/component-helpers";

/**
 * The condition of a request that claims to hold a lease; undefined for one without a claim. The error does not say who
 * holds the lease: whoever may write pods need not be allowed to read it.
 *
 * @param resource of the object that is written
 * @param name of that object; "" if it is not known yet
 * @throws ApiError BadRequest for a malformed claim
 */
export function leaseCondition(
  req: RequestContext["req"],
  resource: GroupResource,
  name: string,
): WriteCondition | undefined {
  const text = req.headers[leaseClaimHeader];
  if (text === undefined) return undefined;
  const claim = typeof text === "string" ? parseLeaseClaim(text) : undefined;
  if (claim === undefined)
    throw badRequest(
      `invalid value of header ${leaseClaimHeader}: want NAMESPACE/NAME;holder=IDENTITY;transitions=NUMBER, with the identity percent-encoded`,
    );
  return {
    definition: coordination.leases as unknown as WriteCondition["definition"],
    ref: { namespace: claim.namespace, name: claim.name },
    holds(object) {
      const { spec } = (object ?? {}) as Partial<coordination.Lease> & Partial<ApiObject>;
      return spec?.holderIdentity === claim.holder && (spec.leaseTransitions ?? 0) === claim.transitions;
    },
    error() {
      const message = `the lease ${claim.namespace}/${claim.name} is no longer held as the request claims`;
      const { status } = conflict(resource, name, message);
      return new ApiError({
        ...status,
        details: { ...status.details, causes: [{ reason: LEASE_NOT_HELD, message }] },
      });
    },
  };
}

/** The condition of a write whose path names its object. @throws ApiError BadRequest for a malformed claim */
export function leaseConditionOf(req: RequestContext["req"], info: RequestInfo): WriteCondition | undefined {
  const plural = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  return leaseCondition(req, { group: info.apiGroup, plural }, info.name);
}
