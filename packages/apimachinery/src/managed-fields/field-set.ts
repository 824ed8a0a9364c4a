import { parseJsonText } from "../codec/exact-integers.ts";
import type { ApiError } from "../status/api-error.ts";
import { requestEntityTooLarge } from "../status/errors.ts";
/**
 * A set of field paths, in the form that `fieldsV1` has on the wire: a tree of path elements. A node that has no
 * children, or a child `"."`, is itself in the set; others only lead to the nodes below them. The root is in no set,
 * so `{}` at the root is the empty set.
 *
 * Elements: `f:name` is a field or map key, `k:{"name":"a"}` an item of a list by its keys, `v:"a"` an item of a set
 * by its value, `i:0` one by its position. Sets are never modified and share nodes, so an update of one field copies
 * only the path to it.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** A set under construction. */
export type MutableFieldSet = Record<string, FieldSet>;

/** A node that is in the set and has nothing below it. At the root it is the empty set. */
export const leaf: FieldSet = Object.freeze({});

/** Whether a key is an element of a path. Others (such as `__proto__`) are skipped, as in structured-merge-diff. */
function isElement(key: string): boolean {
  return key.charCodeAt(1) === 0x3a;
}

/** Whether a node below the root is itself in the set. */
export function isMember(node: FieldSet): boolean {
  return Object.hasOwn(node, ".") || !hasChildren(node);
}

/** Whether there are paths below the node. At the root: whether the set has any path. */
export function hasChildren(node: FieldSet): boolean {
  for (const key in node) if (isElement(key)) return true;
  return false;
}

/** The node below `parent`, if paths lead there. */
export function childOf(parent: FieldSet | undefined, element: string): FieldSet | undefined {
  return parent !== undefined && Object.hasOwn(parent, element) ? parent[element] : undefined;
}

/** The node with its own path in the set. */
export function withSelf(node: FieldSet | undefined): FieldSet {
  if (node === undefined) return leaf;
  return isMember(node) ? node : { ".": leaf, ...node };
}

/** A node from its parts; undefined when both are empty. */
function nodeOf(member: boolean, children: MutableFieldSet | undefined): FieldSet | undefined {
  if (children === undefined) return member ? leaf : undefined;
  return member ? { ".": leaf, ...children } : children;
}

/**
 * The order of path elements in `fieldsV1`: fields, then list items by keys, values and positions. Digits within keys
 * count as numbers, so that port 80 comes before port 443.
 */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0;
  if (a.charCodeAt(0) !== b.charCodeAt(0)) return rank(a) - rank(b);
  let i = 2;
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (!a.startsWith("f:")) {
    const difference = digits(a, i) - digits(b, i);
    if (difference !== 0 && isDigit(a, i) && isDigit(b, i)) return difference;
  }
  return a < b ? -1 : 1;
}

const ranks = "fkvi";
const rank = (element: string): number => (element === "." ? -1 : ranks.indexOf(element.charAt(0)));

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function digits(text: string, from: number): number {
  let end = from;
  while (isDigit(text, end)) end++;
  return end - from;
}

/**
 * Limit of elements of a node: of members of one map, or items of one set. Each individually owned field takes some
 * thirty bytes, so an object with more would exceed what stores accept; comparing and sorting hundreds of thousands
 * would take a second.
 */
export const maxElements = 40_000;

/** The error for a node with too many elements. */
export function tooManyElements(count: number): ApiError {
  return requestEntityTooLarge(`${count} members or items in one place are more than ${maxElements}`);
}

/**
 * The node with sorted elements; the same object if they are sorted already.
 *
 * @throws ApiError RequestEntityTooLarge for more than {@link maxElements}
 */
export function sorted(node: FieldSet): FieldSet {
  const keys = Object.keys(node);
  if (keys.length > maxElements) throw tooManyElements(keys.length);
  for (let i = 1; i < keys.length; i++) {
    if (compareElements(keys[i - 1] as string, keys[i] as string) > 0) {
      const out: MutableFieldSet = {};
      for (const key of keys.sort(compareElements)) out[key] = node[key] as FieldSet;
      return out;
    }
  }
  return node;
}

/** Paths of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (!hasChildren(a)) return b;
  if (!hasChildren(b)) return a;
  return sorted(unionChildren(a, b));
}

/** Paths of any of the sets. Each element is visited once, however many sets there are. */
export function unionOfAll(sets: readonly FieldSet[]): FieldSet {
  const filled = sets.filter(hasChildren);
  const [first = leaf] = filled;
  return filled.length < 2 ? first : childrenOfAll(filled);
}

function childrenOfAll(nodes: readonly FieldSet[]): FieldSet {
  const below = new Map<string, FieldSet[]>();
  for (const node of nodes) {
    for (const key in node) {
      if (!isElement(key)) continue;
      const child = node[key] as FieldSet;
      const found = below.get(key);
      if (found === undefined) below.set(key, [child]);
      else found.push(child);
    }
  }
  const out: MutableFieldSet = {};
  for (const [key, found] of below) out[key] = nodeOfAll(found);
  return sorted(out);
}

function nodeOfAll(nodes: readonly FieldSet[]): FieldSet {
  const [first = leaf] = nodes;
  if (nodes.length === 1) return first;
  const children = unionOfAll(nodes);
  return nodes.some(isMember) ? withSelf(children) : children;
}

function unionChildren(a: FieldSet, b: FieldSet, member = false): FieldSet {
  const out: MutableFieldSet = member ? { ".": leaf } : {};
  for (const key in a) {
    if (!isElement(key)) continue;
    const mine = a[key] as FieldSet;
    const theirs = childOf(b, key);
    out[key] = theirs === undefined || theirs === mine ? mine : unionNodes(mine, theirs);
  }
  for (const key in b) if (isElement(key) && !Object.hasOwn(a, key)) out[key] = b[key] as FieldSet;
  return out;
}

/** The paths of two nodes below the root, themselves included. */
export function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  const member = isMember(a) || isMember(b);
  if (!hasChildren(a)) return withSelf(b);
  if (!hasChildren(b)) return withSelf(a);
  return sorted(unionChildren(a, b, member));
}

/** Paths of `a` that are not in `b`; the same set if none of them is. */
export function difference(a: FieldSet, b: FieldSet | undefined): FieldSet {
  return b === undefined ? a : (subtract(a, b, false, false) ?? leaf);
}

/** Paths of `a` that are neither in `b` nor below a path of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet | undefined): FieldSet {
  return b === undefined ? a : (subtract(a, b, false, true) ?? leaf);
}

function subtract(a: FieldSet, b: FieldSet, member: boolean, recursive: boolean): FieldSet | undefined {
  let children: MutableFieldSet | undefined;
  let changed = false;
  for (const key in a) {
    if (!isElement(key)) continue;
    const mine = a[key] as FieldSet;
    const theirs = childOf(b, key);
    let rest: FieldSet | undefined = mine;
    if (theirs !== undefined) {
      const gone = isMember(theirs);
      rest = gone && recursive ? undefined : subtract(mine, theirs, isMember(mine) && !gone, recursive);
    }
    if (rest !== mine) changed = true;
    if (rest !== undefined) {
      children ??= {};
      children[key] = rest;
    }
  }
  if (!changed && Object.hasOwn(a, ".") === (member && children !== undefined)) {
    return children === undefined && !member ? undefined : a;
  }
  return nodeOf(member, children);
}

/** Paths of both sets; undefined when there are none. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet | undefined {
  let children: MutableFieldSet | undefined;
  for (const key in a) {
    const theirs = isElement(key) ? childOf(b, key) : undefined;
    if (theirs === undefined) continue;
    const mine = a[key] as FieldSet;
    const below = intersection(mine, theirs);
    const both = isMember(mine) && isMember(theirs);
    if (below === undefined && !both) continue;
    children ??= {};
    children[key] = both ? withSelf(below) : (below ?? leaf);
  }
  return children;
}

/** Whether both sets have the same paths. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let count = 0;
  for (const key in a) {
    if (!isElement(key)) continue;
    count++;
    const mine = a[key] as FieldSet;
    const theirs = childOf(b, key);
    if (theirs === undefined || isMember(mine) !== isMember(theirs) || !equalSets(mine, theirs)) return false;
  }
  for (const key in b) if (isElement(key)) count--;
  return count === 0;
}

/** Whether a value is a tree of path elements; clients may send anything. */
export function isFieldSet(value: unknown): value is FieldSet {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const key in value) if (!isFieldSet((value as Record<string, unknown>)[key])) return false;
  return true;
}

/** The set with the one path that consists of the elements. */
export function pathSet(...elements: readonly string[]): FieldSet {
  return elements.reduceRight<FieldSet>((below, element) => ({ [element]: below }), leaf);
}

/** Paths as messages contain them, `.spec.containers[name="a"].image`: those of a level before those below it. */
export function pathsOf(set: FieldSet, prefix = ""): readonly string[] {
  const keys = Object.keys(set).filter(isElement).sort(compareElements);
  const here = keys.filter((key) => isMember(set[key] as FieldSet)).map((key) => prefix + elementText(key));
  const below = keys.flatMap((key) => pathsOf(set[key] as FieldSet, prefix + elementText(key)));
  return [...here, ...below];
}

function elementText(element: string): string {
  const text = element.slice(2);
  switch (element.charAt(0)) {
    case "f":
      return `.${text}`;
    case "k":
      return `[${keyText(text)}]`;
    case "v":
      return `[=${text}]`;
    default:
      return `[${text}]`;
  }
}

/** The keys of a list item as messages contain them: `name="a",port=80`. */
export function keyText(json: string): string {
  try {
    const keys: unknown = parseJsonText(json);
    if (typeof keys !== "object" || keys === null) return json;
    return Object.entries(keys)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .join(",");
  } catch {
    // Clients may have written any text here.
    return json;
  }
}
