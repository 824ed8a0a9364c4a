import type { ApiObject } from "@orchernetes/apimachinery";
import { isPlain } from "../schema/structural.ts";
import { kindText } from "./converted-object.ts";

const group = "apiextensions.o8s.io";
const kind = "ConversionReview";

/** Versions of reviews that this server understands. They have the same form. */
const spoken: ReadonlySet<string> = new Set(["v1", "v1beta1"]);

/** The version in which to ask a webhook: it lists what it accepts, and the first known one is taken; undefined if none is known. */
export function reviewVersionOf(accepted: readonly string[]): string | undefined {
  return accepted.find((version) => spoken.has(version));
}

/** A review that asks for objects in another version. */
export function reviewOf(
  version: string,
  request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly ApiObject[] },
): object {
  return { kind, apiVersion: `${group}/${version}`, request };
}

/**
 * The objects that a webhook's answer contains.
 *
 * @throws Error when it is not an answer to this review, or one that reports a failure
 */
export function convertedObjects(version: string, uid: string, answer: unknown): readonly unknown[] {
  const review = isPlain(answer) ? answer : {};
  const { response } = review;
  // Reviews of the older version were never checked for what they say they are.
  if (version === "v1") checkReview(review);
  if (!isPlain(response)) throw new Error("no response provided");
  if (version === "v1" && response.uid !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`);
  const result = isPlain(response.result) ? response.result : {};
  if (result.status !== "Success") {
    const { message, status } = result;
    if (typeof message === "string" && message !== "") throw new Error(message.slice(0, MAX_MESSAGE));
    throw new Error(`response.result.status was '${typeof status === "string" ? status : ""}', not 'Success'`);
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

/** Longer messages of webhooks are cut: they go to clients and into logs. */
const MAX_MESSAGE = 4096;

/** Version v1 requires that the answer names its own kind and version. */
function checkReview(review: Readonly<Record<string, unknown>>): void {
  const wanted = { apiVersion: `${group}/v1`, kind };
  const found = { apiVersion: String(review.apiVersion ?? ""), kind: String(review.kind ?? "") };
  if (found.apiVersion !== wanted.apiVersion || found.kind !== wanted.kind)
    throw new Error(`expected webhook response of ${kindText(wanted)}, got ${kindText(found).slice(0, MAX_MESSAGE)}`);
}
