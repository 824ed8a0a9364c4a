/**
 * The media types that clients of the API may be told to use. Without zod, so that flags can be checked without the schemas.
 *
 * @example
 * ```ts
 * import { contentTypeWanted } from "@orchernetes/config/content-types";
 *
 * contentTypeWanted("application/json"); // undefined: it is valid
 * contentTypeWanted("json"); // "application/json or application/vnd.orchernetes.protobuf"
 * ```
 *
 * @module
 */

const contentTypes = ["application/json", "application/vnd.orchernetes.protobuf"] as const;
const ranges: ReadonlySet<string> = new Set([...contentTypes, "application/*", "*/*"]);
const types: ReadonlySet<string> = new Set(contentTypes);

/** The default of `contentType` in every document. */
export const defaultContentType = "application/vnd.orchernetes.protobuf";

/** Checks the media type of bodies: returns what would have been accepted, or undefined if it is valid or empty. */
export function contentTypeWanted(text: string): string | undefined {
  return text === "" || types.has(text) ? undefined : contentTypes.join(" or ");
}

/**
 * Checks the value of a header `Accept`: media types and ranges, separated by commas, each with a weight if need be. Returns what
 * would have been accepted, or undefined if it is valid or empty.
 */
export function acceptContentTypesWanted(text: string): string | undefined {
  const isValid = text === "" || text.split(",").every(isRange);
  return isValid
    ? undefined
    : `${contentTypes.join(", ")}, application/* or */*, separated by commas, each with ;q=0.5 and the like`;
}

function isRange(clause: string): boolean {
  const [type = "", weight, ...more] = clause.split(";").map((part) => part.trim());
  const isWeight = weight === undefined || /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight);
  return ranges.has(type) && isWeight && more.length === 0;
}
