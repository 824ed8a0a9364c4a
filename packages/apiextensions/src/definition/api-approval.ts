import type { apiextensions } from "@orchernetes/api";

/**
 * Annotation of types in protected groups: the URL of their API review, or `unapproved` (KEP-2337).
 *
 * Groups under the project's own domain look like a part of the API that was reviewed. The annotation makes authors of such a definition
 * say whether it was.
 */
export const approvalAnnotation = "api-approved.orchernetes.io";

/** The state that the annotation of a definition expresses. */
export interface Approval {
  readonly state: "missing" | "unapproved" | "approved" | "invalid";
  readonly reason: string;
}

/** Whether types in a group need approval. */
export function isProtectedGroup(group: string): boolean {
  return /(?:^|\.)(?:o8s|orchernetes)\.io$/.test(group);
}

/** The value of the annotation; it matters for protected groups only. */
export function approvalOf({ metadata }: Pick<apiextensions.CustomResourceDefinition, "metadata">): Approval {
  const { annotations = {} } = metadata;
  const text = Object.hasOwn(annotations, approvalAnnotation) ? (annotations[approvalAnnotation] ?? "") : undefined;
  const must = `protected groups must have approval annotation "${approvalAnnotation}"`;
  if (text === undefined || text === "") return { state: "missing", reason: must };
  if (text.startsWith("unapproved")) return { state: "unapproved", reason: `not approved: ${JSON.stringify(text)}` };
  if (isUrl(text)) return { state: "approved", reason: `approved in ${text}` };
  return { state: "invalid", reason: `${must} with either a URL or a reason starting with "unapproved"` };
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+/i.test(text) && URL.canParse(text);
}
