import { isIP } from "node:net";
import { z } from "zod";
import { acceptContentTypesWanted, contentTypeWanted, defaultContentType } from "./content-types.ts";
import { parseDuration } from "./duration.ts";

/** A type whose properties, at every depth, cannot be assigned. */
export type DeepReadonly<T> = T extends readonly (infer I)[]
  ? readonly DeepReadonly<I>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/**
 * A schema for a duration text such as `1m30s`; the result is in milliseconds, within the given limits (inclusive). A
 * default is given with `prefault`, so that it is written as a text, too.
 */
export const duration = (bounds: { readonly minMs?: number; readonly maxMs?: number } = {}) => {
  const schema = z.string("want a duration such as 1m30s").transform((text, context) => {
    const ms = parseDuration(text);
    const { minMs = Number.NEGATIVE_INFINITY, maxMs = Number.POSITIVE_INFINITY } = bounds;
    if (ms !== undefined && ms >= minMs && ms <= maxMs) return ms;
    const low = minMs === Number.NEGATIVE_INFINITY ? "" : ` of at least ${minMs} milliseconds`;
    const high =
      maxMs === Number.POSITIVE_INFINITY ? "" : `${low === "" ? " of" : " and"} at most ${maxMs} milliseconds`;
    context.addIssue({ code: "custom", message: `want a duration such as 1m30s${low}${high}` });
    return z.NEVER;
  });
  durations.add(schema);
  return schema;
};

/** The schemas that {@link duration} has made. */
const durations = new WeakSet<object>();

/** Whether a schema is one of {@link duration}. */
export const isDuration = (schema: object): boolean => durations.has(schema);

/** A schema for a 32-bit integer between `min` and `max` (inclusive). */
export const int32 = (min = -(2 ** 31), max = 2 ** 31 - 1) => z.int().min(min).max(max);

/** A schema for a 64-bit integer. The largest accepted value is 2^53 - 1, up to which a JavaScript number is exact. */
export const int64 = (min = Number.MIN_SAFE_INTEGER) => z.int().min(min);

/** A schema for a port, from 1 to 65535, or from 0 where 0 disables the server. */
export const port = (min: 0 | 1) => int32(min, 65535);

/** A schema for an IPv4 or IPv6 address. */
export const ipAddress = () =>
  z.string().refine((text) => isIP(text) !== 0, "want an IP address such as 10.0.0.1 or fd00::1");

/** A schema for a map of strings. */
export const stringMap = () => z.record(z.string(), z.string());

/**
 * A schema for a quantity of a resource, such as `500m`, `1.5Gi` or `2e3`. Only the form is checked; the text is the
 * result.
 */
export const quantity = () =>
  z
    .string()
    .regex(/^[+-]?(\d+\.?\d*|\.\d+)([KMGTPE]i|[munkMGTPE]|[eE][+-]?\d+)?$/, "want a quantity such as 500m, 2 or 1.5Gi");

/** A schema for a text that a check accepts; the check returns what it wants instead. */
const checked = (wanted: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const want = wanted(text);
    if (want !== undefined) context.addIssue({ code: "custom", message: `want ${want}` });
  });

/** A schema for the media type of requests to the API server. */
export const contentType = () => checked(contentTypeWanted).default(defaultContentType);

/** A schema for the media types that a client of the API server accepts; "" for that of its requests, and JSON. */
export const acceptContentTypes = () => checked(acceptContentTypesWanted).default("");
