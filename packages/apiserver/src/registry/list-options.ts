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
import { messageOf } from "@orchernetes/kernel";
import { parseRevision, type Revision } from "@orchernetes/storage";
import { isTrue } from "../http/request-info.ts";
import type { Query, ServerFeatures } from "../interfaces/index.ts";

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

/**
 * A whole number in the range of int64 that is also exact as a JavaScript number; checked once more by `isSafeInteger`.
 */
const digits = /^-?[0-9]{1,18}$/;

/** A whole number of the query; undefined if absent or empty. @throws ApiError BadRequest */
function parseInteger(query: Query, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const value = digits.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    throw badRequest(`the query parameter ${name} is ${JSON.stringify(text)}; a whole number is expected`);
  }
  return value;
}

/**
 * A resourceVersion of the query; undefined if absent or empty. @throws ApiError Invalid, with the message of Go's
 * parser
 */
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

/**
 * Parses the text of a label selector. A selector that requires nothing is undefined, so that "no selector" has one
 * form.
 *
 * @throws ApiError BadRequest for text that does not parse
 */
export function labelSelectorOf(text: string | null | undefined): Selector | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  try {
    const selector = parseLabelSelector(text);
    return selector.empty ? undefined : selector;
  } catch (cause) {
    throw badRequest(messageOf(cause), { cause });
  }
}

/**
 * Parses the text of a field selector. Every kind can be selected by `metadata.name` and `metadata.namespace`; what
 * else it can be selected by is in its definition.
 *
 * @throws ApiError BadRequest for text that does not parse, and for other fields
 */
export function fieldSelectorOf(
  definition: ResourceDefinition,
  text: string | null | undefined,
): FieldSelector | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  let selector: FieldSelector;
  try {
    selector = parseFieldSelector(text);
  } catch (cause) {
    throw badRequest(messageOf(cause), { cause });
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

const matchPath = "resourceVersionMatch";
const matchWithContinue = "resourceVersionMatch is forbidden when continue is provided";

/**
 * Combinations that are not allowed for a list (upstream: `ValidateListOptions`). `match` is the text as given:
 * `options` has only known values.
 */
function listErrors(options: ListOptions, match: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (options.resourceVersion === undefined)
      errors.push(field.forbidden(matchPath, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (options.continue !== "") errors.push(field.forbidden(matchPath, matchWithContinue));
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(field.notSupported(matchPath, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && options.resourceVersion === 0)
      errors.push(field.forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (options.sendInitialEvents !== undefined)
    errors.push(field.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

/** Combinations that are not allowed for a watch (KEP-3157, watch list). `match` is the text as given. */
function watchErrors(options: ListOptions, match: string, watchList: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (options.sendInitialEvents !== undefined) {
    if (match !== "NotOlderThan")
      errors.push(
        field.forbidden(matchPath, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
      );
    if (!watchList)
      errors.push(
        field.forbidden(
          "sendInitialEvents",
          "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
        ),
      );
  }
  if (match === "") return errors;
  if (options.sendInitialEvents === undefined)
    errors.push(
      field.forbidden(matchPath, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
    );
  if (match !== "NotOlderThan") errors.push(field.notSupported(matchPath, match, ["NotOlderThan"]));
  if (options.continue !== "") errors.push(field.forbidden(matchPath, matchWithContinue));
  return errors;
}

/**
 * Reads the options of a list or watch from the query. Without list chunking (gate APIListChunking), `limit` and
 * `continue` are checked and then treated as absent.
 *
 * @throws ApiError BadRequest for values that do not parse, Invalid for combinations that make no sense
 */
export function parseListOptions(
  definition: ResourceDefinition,
  query: Query,
  watch: boolean,
  features: Pick<ServerFeatures, "listChunking" | "watchList">,
): ListOptions {
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
    limit: Math.max(0, parseInteger(query, "limit") ?? 0),
    continue: query.get("continue") ?? "",
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
  };
  if (match !== "" || initial !== null) {
    const errors = watch ? watchErrors(options, match, features.watchList) : listErrors(options, match);
    if (errors.length > 0) throw invalid({ group: "meta.o8s.io", kind: "ListOptions" }, "", errors);
  }
  if (!features.listChunking) return { ...options, limit: 0, continue: "" };
  if (!watch && options.continue !== "" && options.resourceVersion !== undefined && options.resourceVersion !== 0) {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  return options;
}
