import type { Clock } from "@orchernetes/kernel";
import type { Attributes, Authorizer, Decision } from "../authorizers/authorizer.ts";
import { ExpiringCache } from "../expiring-cache.ts";
import { field, type ReviewClient, reviewed, text } from "./review-client.ts";

const PATH = "/apis/authorization.o8s.io/v1/subjectaccessreviews";

const CACHE_LIMIT = 8192;

/** Requests whose attributes are longer together, in characters, are not cached: they would fill the memory. */
const MAX_CACHED_LENGTH = 10_000;

/** Options of {@link accessReviewAuthorizer}. */
export interface AccessReviewOptions {
  readonly review: ReviewClient;
  /** How long a permission is kept, in milliseconds. */
  readonly allowTtlMs: number;
  /** How long a refusal is kept, in milliseconds. */
  readonly denyTtlMs: number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Asks the API server whether a request is allowed, and caches the decision. Fails if the API server cannot be asked. */
export function accessReviewAuthorizer({ review, allowTtlMs, denyTtlMs, clock }: AccessReviewOptions): Authorizer {
  const ttlMs = ({ type }: Decision) => (type === "Allow" ? allowTtlMs : denyTtlMs);
  const cache = new ExpiringCache<Decision>({ limit: CACHE_LIMIT, ttlMs, clock });
  return {
    authorize(attributes) {
      const spec = accessReviewSpec(attributes);
      const decide = async () => {
        const body = { apiVersion: "authorization.o8s.io/v1", kind: "SubjectAccessReview", spec };
        return decisionOf(await reviewed(review, PATH, body));
      };
      return isCacheable(attributes) ? cache.get(JSON.stringify(spec), decide) : decide();
    },
  };
}

/** A status that both allows and denies is a refusal. */
function decisionOf(status: unknown): Decision {
  const reason = text(field(status, "reason"));
  if (field(status, "denied") === true) return { type: "Deny", reason };
  return { type: field(status, "allowed") === true ? "Allow" : "NoOpinion", reason };
}

function isCacheable({
  namespace,
  verb,
  apiGroup,
  apiVersion,
  resource,
  subresource,
  name,
  path,
}: Attributes): boolean {
  const controlled = [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path];
  return controlled.reduce((length, value) => length + value.length, 0) < MAX_CACHED_LENGTH;
}

/** The spec of a SubjectAccessReview about a request. */
function accessReviewSpec(attributes: Attributes): object {
  const { user, verb, path, namespace, apiGroup, apiVersion, resource, subresource, name } = attributes;
  const subject = { user: user.name, groups: user.groups, ...(user.uid && { uid: user.uid }), extra: user.extra };
  if (!attributes.resourceRequest) return { ...subject, nonResourceAttributes: { path, verb } };
  const resourceAttributes = { namespace, verb, group: apiGroup, version: apiVersion, resource, subresource, name };
  return { ...subject, resourceAttributes };
}
