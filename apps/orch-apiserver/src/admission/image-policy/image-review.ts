import type { core } from "@orchernetes/api";

const apiVersion = "imagepolicy.o8s.io/v1alpha1";
const kind = "ImageReview";

/** What a review is about. */
export interface ImageReviewSpec {
  readonly containers?: readonly { readonly image?: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace?: string;
}

/** The decision of the service. */
export interface ImageReviewStatus {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Annotations whose keys contain this are for the service. */
const ANNOTATION_DOMAIN = ".image-policy.o8s.io/";

/** The images of a pod: of its ephemeral containers where those are written, otherwise of all others. */
export function reviewSpecOf(pod: core.Pod, subresource: string, namespace: string): ImageReviewSpec {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const reviewed = subresource === "ephemeralcontainers" ? ephemeralContainers : [...containers, ...initContainers];
  const annotations = Object.entries(pod.metadata.annotations ?? {}).filter(([key]) => key.includes(ANNOTATION_DOMAIN));
  return {
    ...(reviewed.length > 0 && { containers: reviewed.map(({ image = "" }) => (image === "" ? {} : { image })) }),
    ...(annotations.length > 0 && {
      annotations: Object.fromEntries(annotations.sort(([a], [b]) => (a < b ? -1 : 1))),
    }),
    ...(namespace !== "" && { namespace }),
  };
}

/** The review that is sent. */
export const reviewOf = (spec: ImageReviewSpec): object => ({
  kind,
  apiVersion,
  metadata: { creationTimestamp: null },
  spec,
  status: { allowed: false },
});

/**
 * The decision in an answer. What names no kind or version is taken for a review.
 *
 * @throws Error when it is another kind, or a field has another type
 */
export function statusIn(answer: unknown): ImageReviewStatus {
  const review = recordOf(answer, "the answer");
  for (const [name, want] of [
    ["kind", kind],
    ["apiVersion", apiVersion],
  ] as const) {
    const found = review[name] ?? "";
    if (found !== "" && found !== want)
      throw new Error(`the answer has ${name} ${JSON.stringify(found)?.slice(0, 200)}; want "${want}"`);
  }
  const { allowed = false, reason = "", auditAnnotations } = recordOf(review.status ?? {}, "status");
  if (typeof allowed !== "boolean") throw new Error("status.allowed is no boolean");
  if (typeof reason !== "string") throw new Error("status.reason is no string");
  return { allowed, reason: reason.slice(0, MAX_REASON), auditAnnotations: textsOf(auditAnnotations ?? {}) };
}

/** Longer reasons are cut: they go to clients and into logs. */
const MAX_REASON = 4096;

function recordOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${name} is no object`);
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const texts = recordOf(value, "status.auditAnnotations");
  for (const [key, text] of Object.entries(texts))
    if (typeof text !== "string") throw new Error(`status.auditAnnotations[${JSON.stringify(key)}] is no string`);
  return texts as Readonly<Record<string, string>>;
}
