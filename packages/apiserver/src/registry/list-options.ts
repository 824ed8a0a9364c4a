import {
  badRequest,
  type FieldError,
  type FieldSelector,
  field,
  invalid,
  parseFieldSelector,
  parseLabelSelector,
  type ResourceDefinition,
  type Selector,
} from "@orchernetes/apimachinery";
import { parseRevision, type Revision } from "@orchernetes/storage";
import { isTrue } from "../http/request-info.ts";

/** Query parameters of lists and watches, parsed. */
export interface ListOptions {
  readonly labelSelector: Selector | undefined;
  readonly fieldSelector: FieldSelector | undefined;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  /** undefined: not given. */
  readonly resourceVersion: Revision | undefined;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  /** 0: no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

const digits = /^[0-9]{1,18}$/;

function parseInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const value = digits.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    throw badRequest(`the query parameter ${name} is ${JSON.stringify(text)}; a whole number is expected`);
  }
  return value;
}

function parseVersion(kind: string, text: string | null): Revision | undefined {
  if (text === null || text === "") return undefined;
  const revision = parseRevision(text);
  if (revision === undefined) {
    const error = field.invalid(
      "resourceVersion",
      text,
      `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
    throw invalid({ group: "meta.o8s.io", kind }, "", [error]);
  }
  return revision;
}

/** Text of a selector parsed, with parser faults as BadRequest. */
export function labelSelectorOf(text: string | null | undefined): Selector | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  try {
    const selector = parseLabelSelector(text);
    return selector.empty ? undefined : selector;
  } catch (cause) {
    throw badRequest(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** @throws ApiError BadRequest for fields that the definition does not select by */
export function fieldSelectorOf(
  definition: ResourceDefinition,
  text: string | null | undefined,
): FieldSelector | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  let selector: FieldSelector;
  try {
    selector = parseFieldSelector(text);
  } catch (cause) {
    throw badRequest(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  const known = definition.fieldSelectors ?? [];
  for (const { field: path } of selector.requirements) {
    if (path === "metadata.name" || path === "metadata.namespace" || known.includes(path)) continue;
    throw badRequest(
      known.length === 0
        ? `${JSON.stringify(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${path}`,
    );
  }
  return selector.empty ? undefined : selector;
}

function checkMatch(options: ListOptions, raw: string): FieldError | undefined {
  const path = "resourceVersionMatch";
  if (options.sendInitialEvents !== undefined) {
    if (!options.watch) return field.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
    if (raw !== "NotOlderThan") {
      return field.forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    return undefined;
  }
  if (raw === "") return undefined;
  if (options.watch) return field.forbidden(path, "resourceVersionMatch is forbidden for watch");
  if (options.continue !== "")
    return field.forbidden(path, "resourceVersionMatch is forbidden when continue is provided");
  if (options.resourceVersion === undefined) {
    return field.forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (raw !== "Exact" && raw !== "NotOlderThan") return field.notSupported(path, raw, ["Exact", "NotOlderThan", ""]);
  if (raw === "Exact" && options.resourceVersion === 0) {
    return field.forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  return undefined;
}

/**
 * Reads list and watch options.
 *
 * @throws ApiError BadRequest for values that do not parse, Invalid for combinations that make no sense
 */
export function parseListOptions(definition: ResourceDefinition, query: URLSearchParams, watch: boolean): ListOptions {
  const match = query.get("resourceVersionMatch") ?? "";
  const initial = query.get("sendInitialEvents");
  const options: ListOptions = {
    labelSelector: labelSelectorOf(query.get("labelSelector")),
    fieldSelector: fieldSelectorOf(definition, query.get("fieldSelector")),
    watch,
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    resourceVersion: parseVersion("ListOptions", query.get("resourceVersion")),
    resourceVersionMatch: match === "Exact" || match === "NotOlderThan" ? match : "",
    timeoutSeconds: parseInteger(query, "timeoutSeconds"),
    limit: parseInteger(query, "limit") ?? 0,
    continue: query.get("continue") ?? "",
    sendInitialEvents: initial === null || initial === "" ? undefined : isTrue(initial),
  };
  const fault = checkMatch(options, match);
  if (fault !== undefined) throw invalid({ group: "meta.o8s.io", kind: "ListOptions" }, "", [fault]);
  if (!watch && options.continue !== "" && options.resourceVersion !== undefined && options.resourceVersion !== 0) {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  return options;
}
