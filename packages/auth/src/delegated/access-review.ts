import type { Clock } from "@orchernetes/kernel";
import type { Attributes, Authorizer, Decision } from "../authorizers/authorizer.ts";
import { ExpiringCache } from "../expiring-cache.ts";
import { field, type ReviewClient, reviewed, text } from "./review-client.ts";

const pathOf = (version: string) => `/apis/authorization.o8s.io/${version}/subjectaccessreviews`;

const CACHE_LIMIT = 8192;

/** If all attributes together have more characters, the decision is not cached: clients could fill the memory. */
const MAX_CACHED_LENGTH = 10_000;

/** Options of {@link accessReviewAuthorizer}. */
export interface AccessReviewOptions {
  readonly review: ReviewClient;
  /** Time in milliseconds for which Allow is cached. */
  readonly allowTtlMs: number;
  /** Time in milliseconds for which Deny and NoOpinion are cached. */
  readonly denyTtlMs: number;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Version of authorization.o8s.io. @default "v1" */
  readonly version?: "v1" | "v1beta1";
  /** Time limit of a review, in milliseconds. @default 10,000 */
  readonly timeoutMs?: number;
}

/**
 * Asks the API server, or another service, whether a request is allowed, and caches the decision. It throws if there is no answer.
 * Concurrent requests that need the same decision share one review.
 */
export function accessReviewAuthorizer(options: AccessReviewOptions): Authorizer {
  const { review, allowTtlMs, denyTtlMs, clock, version = "v1", timeoutMs } = options;
  const ttlMs = ({ type }: Decision) => (type === "Allow" ? allowTtlMs : denyTtlMs);
  const cache = new ExpiringCache<Decision>({ limit: CACHE_LIMIT, ttlMs, clock });
  return {
    authorize(attributes) {
      const spec = accessReviewSpec(attributes, version);
      const decide = async () => {
        const body = { apiVersion: `authorization.o8s.io/${version}`, kind: "SubjectAccessReview", spec };
        return decisionOf(await reviewed(review, pathOf(version), body, timeoutMs));
      };
      return isCacheable(attributes) ? cache.get(JSON.stringify(spec), decide) : decide();
    },
  };
}

/** A status that both allows and denies means Deny. */
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
function accessReviewSpec(attributes: Attributes, version: "v1" | "v1beta1"): object {
  const { user, verb, path, namespace, apiGroup, apiVersion, resource, subresource, name } = attributes;
  // The older version has another name for the groups.
  const groups = version === "v1" ? { groups: user.groups } : { group: user.groups };
  const subject = { user: user.name, ...groups, ...(user.uid && { uid: user.uid }), extra: user.extra };
  if (!attributes.resourceRequest) return { ...subject, nonResourceAttributes: { path, verb } };
  const resourceAttributes = { namespace, verb, group: apiGroup, version: apiVersion, resource, subresource, name };
  return { ...subject, resourceAttributes };
}
