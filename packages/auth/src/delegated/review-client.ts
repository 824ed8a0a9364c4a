/**
 * Creates a review at the API server and returns it with its status filled in.
 *
 * @param path such as `/apis/authentication.o8s.io/v1/tokenreviews`
 */
export type ReviewClient = (path: string, review: object, signal: AbortSignal) => Promise<unknown>;

/** Time limit of a review. Several requests may wait for one review, so the signal of one of them cannot end it. */
const REVIEW_TIMEOUT_MS = 10_000;

/** Posts a review and returns its status. */
export async function reviewed(
  client: ReviewClient,
  path: string,
  review: object,
  timeoutMs = REVIEW_TIMEOUT_MS,
): Promise<unknown> {
  return field(await client(path, review, AbortSignal.timeout(timeoutMs)), "status");
}

/** An own property of an object; undefined for anything else. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** A string, or "" for anything else. */
export const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The strings of a list; none for anything else. */
export const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
