import { getOwn, setOwn } from "../codec/json.ts";
import type { MessageSchema, Schema } from "../schema/index.ts";
import type { ApiError } from "../status/api-error.ts";
import { badRequest, genericServerResponse } from "../status/errors.ts";
import { describeJson, equalJson, isObject, type JsonObject, shallowClone } from "./json-value.ts";
import { IdentityIndex, identityKey, identityOf, orderMerged } from "./list-order.ts";
import { kindOf } from "./merge-patch.ts";
import { itemSchema, type MergeRule, ruleFor, schemaName } from "./strategic-schema.ts";

/** Members of a patch that are directives and not content. */
const directive = "$patch";
const retainKeys = "$retainKeys";
const deleteFromList = "$deleteFromPrimitiveList/";
const setElementOrder = "$setElementOrder/";

/**
 * Applies a strategic merge patch: maps are merged as in a merge patch, lists where the schema says so, by merge key
 * or as sets. Directives are `$patch: replace|delete|merge` in maps and list items, `$retainKeys`,
 * `$setElementOrder/<list>` and `$deleteFromPrimitiveList/<list>` beside lists.
 *
 * @returns a new document that shares its unchanged parts with `doc`
 * @throws ApiError BadRequest for malformed patches; Invalid for content that does not fit `$retainKeys` or lists of
 *   lists
 */
export function applyStrategicMergePatch(schema: MessageSchema, doc: JsonObject, patch: unknown): JsonObject {
  if (!isObject(patch)) {
    throw badRequest(`invalid strategic merge patch format: want a JSON object, found ${kindOf(patch)}`);
  }
  return mergeMap(doc, patch, schema);
}

/**
 * Merges maps.
 *
 * @param schema the schema of the map; undefined for content without one, in which lists are replaced
 * @returns a new map; its unchanged members are those of `original`
 */
function mergeMap(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  if (Object.hasOwn(patch, directive)) {
    switch (patch[directive]) {
      case "replace":
        return withoutDirectives(patch);
      case "delete":
        return {};
      case "merge":
        break;
      default:
        throw badRequest(`unknown patch type: ${describeJson(patch[directive])} in map: ${describeJson(patch)}`);
    }
  }
  const out = shallowClone(original);
  applyRetainKeys(out, patch);
  // Before the members: a list with an order is merged and sorted at once, and skipped below.
  const ordered = applyElementOrders(out, patch, schema);
  for (const key in patch) {
    if (key === directive || key === retainKeys || key.startsWith(setElementOrder) || ordered.has(key)) {
      continue;
    }
    if (key.startsWith(deleteFromList)) {
      deletePrimitives(out, key.slice(deleteFromList.length), patch[key]);
    } else {
      mergeMember(out, key, patch[key], ruleFor(schema, key));
    }
  }
  return out;
}

/** Sets a member to the result of the patch; null removes it. */
function mergeMember(out: JsonObject, key: string, value: unknown, rule: MergeRule): void {
  const before = getOwn(out, key);
  if (value === null || value === undefined) {
    delete out[key];
  } else if (isObject(value)) {
    if (!isObject(before)) {
      // New content. A map with only "delete" would otherwise create what it must remove.
      const added = withoutDirectives(value);
      if (value[directive] !== "delete") {
        setOwn(out, key, added);
      }
    } else {
      setOwn(out, key, rule.strategy === "replace" ? withoutDirectives(value) : mergeMap(before, value, rule.schema));
    }
  } else if (Array.isArray(value)) {
    setOwn(out, key, Array.isArray(before) ? mergeList(before, value, rule) : newList(value));
  } else {
    setOwn(out, key, value);
  }
}

/** New content as it is stored: without directives and nulls in maps. */
function withoutDirectives(value: JsonObject): JsonObject {
  const out: JsonObject = {};
  if (value[directive] === "delete") {
    return out;
  }
  for (const key in value) {
    const item = value[key];
    const isDirective =
      key === directive || key === retainKeys || key.startsWith(setElementOrder) || key.startsWith(deleteFromList);
    if (!isDirective && item !== null && item !== undefined) {
      setOwn(out, key, cleanItem(item));
    }
  }
  return out;
}

function cleanItem(item: unknown): unknown {
  return Array.isArray(item) ? newList(item) : isObject(item) ? withoutDirectives(item) : item;
}

/** A list that replaces another or is new: its items, without those that are only directives. */
function newList(list: readonly unknown[]): unknown[] {
  const content = (item: unknown) => {
    const kind = isObject(item) ? getOwn(item, directive) : undefined;
    return kind === undefined || kind === "merge";
  };
  return list.filter(content).map(cleanItem);
}

/**
 * `$retainKeys` lists the only members that may remain, for unions such as volumes: setting `emptyDir` must remove
 * `hostPath`. The patch must not set a member that the list lacks.
 */
function applyRetainKeys(out: JsonObject, patch: JsonObject): void {
  const list = getOwn(patch, retainKeys);
  if (list === undefined) {
    return;
  }
  if (!Array.isArray(list) || !list.every((key) => typeof key === "string")) {
    throw badRequest("invalid patch format of retainKeys");
  }
  const kept = new Set<string>(list);
  for (const key in patch) {
    const special = key === retainKeys || key === directive;
    if (special || patch[key] === null || key.startsWith(deleteFromList) || key.startsWith(setElementOrder)) {
      continue;
    }
    if (!kept.has(key)) {
      throw unprocessable("patch content doesn't match retainKeys list");
    }
  }
  for (const key of Object.keys(out)) {
    if (!kept.has(key)) {
      delete out[key];
    }
  }
}

/**
 * Merges and sorts the lists that have an order.
 *
 * @returns the names of these lists
 */
function applyElementOrders(out: JsonObject, patch: JsonObject, schema: Schema | undefined): ReadonlySet<string> {
  const done = new Set<string>();
  for (const key in patch) {
    if (!key.startsWith(setElementOrder)) {
      continue;
    }
    const order = patch[key];
    const name = key.slice(setElementOrder.length);
    if (!Array.isArray(order)) {
      throw badRequest("invalid patch format of setElementOrder list");
    }
    const list = getOwn(patch, name);
    if (list !== undefined && list !== null && !Array.isArray(list)) {
      throw badRequest(`invalid patch: ${name} has an order, but is not a list`);
    }
    if (list === null) {
      continue;
    }
    const rule = ruleFor(schema, name);
    const before = getOwn(out, name);
    const server = Array.isArray(before) ? before : [];
    if (!Array.isArray(before) && list === undefined) {
      continue;
    }
    // An order without a list sorts the existing items; a list without an order is merged like any other.
    requireIdentity(order, rule.mergeKey);
    if (list !== undefined) {
      checkOrder(list, order, rule.mergeKey);
    }
    const merged = list === undefined ? server : Array.isArray(before) ? mergeList(server, list, rule) : newList(list);
    setOwn(out, name, orderMerged(merged, order, server, rule.mergeKey));
    done.add(name);
  }
  return done;
}

/** Checks that the patch's items are in the order that the patch itself requires. */
function checkOrder(list: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  const kept = list.filter((item) => !isObject(item) || item[directive] === undefined);
  let at = 0;
  for (const wanted of order) {
    if (at < kept.length && equalJson(identityOf(kept[at], mergeKey), identityOf(wanted, mergeKey))) {
      at++;
    }
  }
  if (at < kept.length) {
    throw badRequest(
      `The order in patch list:\n${describeJson(list)}\n doesn't match $setElementOrder list:\n${describeJson(order)}\n`,
    );
  }
}

/** Removes values from a list of primitives. Values that it lacks are ignored, so that the patch can be repeated. */
function deletePrimitives(out: JsonObject, name: string, values: unknown): void {
  if (!Array.isArray(values) || values.some((value) => typeof value === "object" && value !== null)) {
    throw badRequest("invalid patch format of primitive list");
  }
  const before = getOwn(out, name);
  if (Array.isArray(before)) {
    const gone = new Set(values);
    setOwn(
      out,
      name,
      before.filter((item) => !gone.has(item)),
    );
  }
}

/**
 * Merges lists whose schema says so: primitives as a set, objects by merge key. All others are replaced.
 *
 * @throws ApiError BadRequest for items of different types, or objects without a merge key in the schema
 */
function mergeList(original: readonly unknown[], patch: readonly unknown[], rule: MergeRule): unknown[] {
  if (rule.strategy !== "merge") {
    return newList(patch);
  }
  const first = original[0] ?? patch[0];
  if (first === undefined) {
    return [];
  }
  if ([...original, ...patch].some((item) => kindOf(item) !== kindOf(first))) {
    throw badRequest("list element types are not identical");
  }
  if (Array.isArray(first)) {
    throw unprocessable("lists of lists are not supported");
  }
  if (!isObject(first)) {
    return orderMerged([...new Set([...original, ...patch])], patch, original, "");
  }
  if (rule.mergeKey === "") {
    throw badRequest(`cannot merge lists without merge key for ${schemaName(itemSchema(rule.schema))}`);
  }
  return mergeItems(original as readonly JsonObject[], patch as readonly JsonObject[], rule);
}

/**
 * Merges items by merge key. Both indexes look up in constant time: without them 10,000 items in a patch would cost
 * 10^8 comparisons.
 */
function mergeItems(original: readonly JsonObject[], patch: readonly JsonObject[], rule: MergeRule): unknown[] {
  const { mergeKey } = rule;
  const changes: JsonObject[] = [];
  const deleted: JsonObject[] = [];
  let replace = false;
  for (const item of patch) {
    const kind = getOwn(item, directive);
    if (kind === undefined || kind === "merge") {
      changes.push(item);
    } else if (kind === "replace") {
      replace = true;
    } else if (kind === "delete") {
      requireIdentity([item], mergeKey);
      deleted.push(item);
    } else {
      throw badRequest(`unknown patch type: ${describeJson(kind)} in map: ${describeJson(item)}`);
    }
  }
  // One item with `$patch: replace` makes the other items of the patch the whole list.
  if (replace) {
    return changes.map(withoutDirectives);
  }
  requireIdentity(changes, mergeKey);
  const gone = new IdentityIndex(deleted, mergeKey);
  const kept = deleted.length === 0 ? original : original.filter((item) => gone.find(getOwn(item, mergeKey)) < 0);
  const merged: JsonObject[] = [...kept];
  const positions = new IdentityIndex(kept, mergeKey);
  const added = new Map<unknown, number>();
  for (const change of changes) {
    const identity = identityKey(getOwn(change, mergeKey));
    const known = positions.find(getOwn(change, mergeKey));
    const at = known >= 0 ? known : (added.get(identity) ?? -1);
    const before = merged[at];
    if (before === undefined) {
      added.set(identity, merged.length);
      merged.push(withoutDirectives(change));
    } else {
      merged[at] = mergeMap(before, change, itemSchema(rule.schema));
    }
  }
  return orderMerged(merged, changes, kept, mergeKey);
}

/** Checks that every item has the merge key. */
function requireIdentity(items: readonly unknown[], mergeKey: string): void {
  for (const item of items) {
    if (mergeKey === "" ? isObject(item) : !isObject(item) || !Object.hasOwn(item, mergeKey)) {
      throw badRequest(`map: ${describeJson(item)} does not contain declared merge key: ${mergeKey}`);
    }
  }
}

function unprocessable(detail: string): ApiError {
  return genericServerResponse({
    code: 422,
    message: `the server rejected our request due to an error in our request: ${detail}`,
  });
}
