import { defaultMaxDepth, getOwn, setOwn } from "../codec/json.ts";
import type { ApiError } from "../status/api-error.ts";
import { badRequest, genericServerResponse, requestEntityTooLarge } from "../status/errors.ts";
import { cloneJson, equalJson, isDeeperThan, isObject, type JsonObject } from "./json-value.ts";
import { kindOf } from "./merge-patch.ts";

/** Limit of the operations of one patch. */
export const maxJsonPatchOperations = 10_000;
/** Limit of the JSON that the `copy` operations of one patch may add, in bytes: each can double the document. */
const maxCopyBytes = 3 * 1024 * 1024;
/** Limit of the list items that the inserts and removals of one patch may shift. */
const maxMovedItems = 50_000_000;

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** Undefined when the operation has no value member. */
  readonly value: unknown;
}

type Container = JsonObject | unknown[];

/**
 * Applies a JSON patch (RFC 6902), either all operations or none; `doc` is not changed. As in Kubernetes and beyond
 * the RFC, an absent value is null and `replace` creates a missing member, because clients rely on it.
 *
 * @throws ApiError BadRequest when `operations` is not a patch, RequestEntityTooLarge beyond {@link
 *   maxJsonPatchOperations}, Invalid when it does not apply
 */
export function applyJsonPatch(doc: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) {
    throw badRequest(`json: cannot unmarshal ${kindOf(operations)} into Go value of type jsonpatch.Patch`);
  }
  if (operations.length > maxJsonPatchOperations) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    );
  }
  const run = new PatchRun(cloneJson(doc));
  for (const [i, operation] of operations.entries()) {
    run.apply(readOperation(operation, i));
  }
  if (isDeeperThan(run.document, defaultMaxDepth)) {
    throw doesNotApply(`the patched document nests deeper than ${defaultMaxDepth} levels`);
  }
  return run.document;
}

function readOperation(input: unknown, position: number): Operation {
  if (!isObject(input)) {
    throw badRequest(`invalid JSON patch: operation ${position}: want an object, found ${kindOf(input)}`);
  }
  const text = (name: string, needed: boolean): string => {
    const found = getOwn(input, name);
    if (typeof found === "string" && (found === "" || found.startsWith("/"))) {
      return found;
    }
    if (found === undefined && !needed) {
      return "";
    }
    const shown = typeof found === "string" ? JSON.stringify(found.slice(0, 100)) : kindOf(found ?? null);
    throw badRequest(
      `invalid JSON patch: operation ${position}: ${name}: want a JSON pointer such as "/metadata/labels", found ${shown}`,
    );
  };
  const op = getOwn(input, "op");
  if (typeof op !== "string") {
    throw badRequest(`invalid JSON patch: operation ${position}: op: want text, found ${kindOf(op ?? null)}`);
  }
  const takesFrom = op === "move" || op === "copy";
  return { op, path: text("path", true), from: text("from", takesFrom), value: getOwn(input, "value") };
}

/** The error 422, with the reason after the sentence that clients look for. */
function doesNotApply(detail: string): ApiError {
  return genericServerResponse({
    code: 422,
    message: `the server rejected our request due to an error in our request: ${detail}`,
  });
}

/** The unescaped steps of a JSON pointer (RFC 6901, section 4). `~1` is replaced first: "~01" means "~1", not "/". */
const steps = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/** One application of a patch: the current document, and how much of the limits its operations have used. */
class PatchRun {
  document: unknown;
  #copied = 0;
  #moved = 0;

  constructor(document: unknown) {
    this.document = document;
  }

  apply({ op, path, from, value }: Operation): void {
    switch (op) {
      case "add":
        this.#add(path, this.#given(value));
        return;
      case "remove":
        this.#remove(path, op);
        return;
      case "replace":
        this.#replace(path, this.#given(value));
        return;
      case "move":
        this.#move(from, path);
        return;
      case "copy":
        this.#copy(from, path);
        return;
      case "test":
        this.#test(path, value);
        return;
      default:
        throw doesNotApply(`Unexpected kind: ${op.slice(0, 100)}`);
    }
  }

  /** The value of an operation; null if it has none. */
  #given(value: unknown): unknown {
    // A value may be used twice; the parts of the document must not share it.
    return value === undefined ? null : cloneJson(value);
  }

  /** The container that holds the pointer's last step. */
  #parent(pointer: string, op: string): { container: Container; last: string } {
    const path = steps(pointer);
    const last = path.pop() ?? "";
    if (path.length >= defaultMaxDepth) {
      throw doesNotApply(`${op} operation does not apply: the path has more than ${defaultMaxDepth} steps`);
    }
    let container: unknown = this.document;
    for (const step of path) {
      container = this.#child(container, step);
    }
    if (!Array.isArray(container) && !isObject(container)) {
      throw doesNotApply(
        `${op} operation does not apply: doc is missing path: ${JSON.stringify(pointer)}: missing value`,
      );
    }
    return { container, last };
  }

  #child(container: unknown, step: string): unknown {
    if (Array.isArray(container)) {
      const index = arrayIndex(step, container.length);
      return index === undefined ? undefined : container[index];
    }
    return isObject(container) ? getOwn(container, step) : undefined;
  }

  #get(pointer: string, op: string): unknown {
    if (pointer === "") {
      return this.document;
    }
    const { container, last } = this.#parent(pointer, op);
    return this.#child(container, last);
  }

  #add(pointer: string, value: unknown): void {
    if (pointer === "") {
      this.document = value;
      return;
    }
    const { container, last } = this.#parent(pointer, "add");
    if (!Array.isArray(container)) {
      setOwn(container, last, value);
      return;
    }
    const index = last === "-" ? container.length : arrayIndex(last, container.length + 1);
    if (index === undefined || index > container.length) {
      throw doesNotApply(
        `add operation does not apply: doc is missing path: ${JSON.stringify(pointer)}: Unable to access invalid index: ${last}: invalid index referenced`,
      );
    }
    this.#countMoved(container.length - index);
    container.splice(index, 0, value);
  }

  /** Counts shifted items: each operation may shift a whole list, and thousands of them would take seconds. */
  #countMoved(items: number): void {
    this.#moved += items;
    if (this.#moved > maxMovedItems) {
      throw doesNotApply(`the operations move more than ${maxMovedItems} list items; use fewer, or replace the list`);
    }
  }

  #remove(pointer: string, op: string): unknown {
    if (pointer === "") {
      throw doesNotApply(`${op} operation does not apply: the whole document cannot be removed`);
    }
    const { container, last } = this.#parent(pointer, op);
    if (Array.isArray(container)) {
      const index = arrayIndex(last, container.length);
      if (index === undefined || index >= container.length) {
        throw doesNotApply(
          `error in ${op} for path: '${pointer}': Unable to access invalid index: ${last}: invalid index referenced`,
        );
      }
      this.#countMoved(container.length - index);
      return container.splice(index, 1)[0];
    }
    if (!Object.hasOwn(container, last)) {
      throw doesNotApply(
        `error in ${op} for path: '${pointer}': Unable to remove nonexistent key: ${last}: missing value`,
      );
    }
    const value = container[last];
    delete container[last];
    return value;
  }

  #replace(pointer: string, value: unknown): void {
    if (pointer === "") {
      this.document = value;
      return;
    }
    const { container, last } = this.#parent(pointer, "replace");
    if (Array.isArray(container)) {
      const index = arrayIndex(last, container.length);
      if (index === undefined || index >= container.length) {
        throw doesNotApply(`replace operation does not apply: doc is missing key: ${pointer}: missing value`);
      }
      container[index] = value;
    } else {
      // A missing member is created, in contrast to RFC 6902, section 4.3, because clients rely on it.
      setOwn(container, last, value);
    }
  }

  #move(from: string, to: string): void {
    if (to !== from && to.startsWith(`${from}/`)) {
      throw doesNotApply(`move operation does not apply: ${JSON.stringify(from)} cannot be moved into itself`);
    }
    this.#add(to, this.#remove(from, "move"));
  }

  #copy(from: string, to: string): void {
    const value = this.#get(from, "copy");
    if (value === undefined) {
      throw doesNotApply(`copy operation does not apply: doc is missing key: ${from}: missing value`);
    }
    if (isDeeperThan(value, 2 * defaultMaxDepth)) {
      throw doesNotApply(`copy operation does not apply: ${from} nests deeper than ${2 * defaultMaxDepth} levels`);
    }
    this.#copied += JSON.stringify(value).length;
    if (this.#copied > maxCopyBytes) {
      throw doesNotApply(
        `Unable to copy, the accumulated size increase of copy is ${this.#copied}, exceeding the limit ${maxCopyBytes}`,
      );
    }
    this.#add(to, cloneJson(value));
  }

  #test(pointer: string, value: unknown): void {
    const found = this.#get(pointer, "test");
    if (!equalJson(found ?? null, value ?? null)) {
      throw doesNotApply(`testing value ${pointer} failed: test failed`);
    }
  }
}

/** An array index of RFC 6901, or one from the end of `length` places, which the RFC does not have; undefined for other text. */
function arrayIndex(step: string, length: number): number | undefined {
  if (/^(0|[1-9][0-9]{0,8})$/.test(step)) return Number(step);
  const index = /^-[1-9][0-9]{0,8}$/.test(step) ? length + Number(step) : -1;
  return index < 0 ? undefined : index;
}
