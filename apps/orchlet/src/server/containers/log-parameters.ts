import type { LogQuery } from "../../logs/read-log.ts";
import { HttpError } from "../requests/http-error.ts";

/** The parameters of a request for the log of a container, which are those of PodLogOptions. */
export interface LogParameters extends LogQuery {
  /** Whether the log of the instance before the latest one is requested. */
  readonly previous: boolean;
  readonly sinceSeconds: number | undefined;
}

/** At most 15 digits, so that the number is exact; no log has more lines, bytes or seconds. */
const wholeNumber = /^[+-]?\d{1,15}$/;

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads the parameters, with the rules and status codes of the original: 400 for what has the wrong form, 422 for values that cannot be
 * combined or are out of bounds. `tail`, the former name of `tailLines`, may be `all`.
 *
 * @throws HttpError
 */
export function readLogParameters(query: URLSearchParams): LogParameters {
  const tail = query.get("tail") ?? "";
  const tailLines = tail === "all" ? undefined : whole("tailLines", tail === "" ? query.get("tailLines") : tail);
  const limitBytes = whole("limitBytes", query.get("limitBytes"));
  const sinceSeconds = whole("sinceSeconds", query.get("sinceSeconds"));
  const sinceMs = time(query.get("sinceTime"));
  const errors = [
    ...(tailLines !== undefined && tailLines < 0 ? ["tailLines must be greater than or equal to 0"] : []),
    ...(limitBytes !== undefined && limitBytes < 1 ? ["limitBytes must be greater than 0"] : []),
    ...(sinceSeconds !== undefined && sinceSeconds < 1 ? ["sinceSeconds must be greater than 0"] : []),
    ...(sinceSeconds !== undefined && sinceMs !== undefined
      ? ["at most one of sinceTime or sinceSeconds may be specified"]
      : []),
  ];
  if (errors.length > 0) throw new HttpError(422, `Invalid request: ${errors.join(", ")}`);
  return {
    previous: flag(query, "previous"),
    follow: flag(query, "follow"),
    timestamps: flag(query, "timestamps"),
    ...{ tailLines, limitBytes, sinceSeconds, sinceMs },
  };
}

/**
 * Parses a boolean parameter: true if it is present and neither `0` nor `false`, as for the original's query
 * conversion.
 */
const flag = (query: URLSearchParams, name: string): boolean => !/^(0|false)$/i.test(query.get(name) ?? "false");

function whole(name: string, text: string | null): number | undefined {
  if (text === null) return undefined;
  if (wholeNumber.test(text)) return Number(text);
  throw new HttpError(
    400,
    `Unable to decode query: invalid value "${text.slice(0, 100)}" for ${name}: want a whole number`,
  );
}

function time(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  const value = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(value)) return value;
  throw new HttpError(
    400,
    `Unable to decode query: invalid value "${text.slice(0, 100)}" for sinceTime: want a time as in RFC 3339`,
  );
}
