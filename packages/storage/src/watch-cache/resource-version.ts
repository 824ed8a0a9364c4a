import type { Revision } from "../revision.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

const METADATA = Buffer.from("metadata");
const RESOURCE_VERSION = Buffer.from("resourceVersion");

/** Members of ObjectMeta that precede resourceVersion in the canonical order. */
const BEFORE = ["name", "namespace", "uid", "generateName", "selfLink"].map((name) => Buffer.from(name));

/**
 * Returns an object's JSON with `metadata.resourceVersion` set to `revision`: replaced, or inserted at its canonical position, with all
 * other bytes unchanged. Only the bytes up to that position are read, and nothing is decoded. This runs for each write and for many
 * events, so the scan allocates nothing.
 *
 * @param json a JSON object, in any key order
 * @throws TypeError if the bytes that are read are not a JSON object, or its metadata is not one
 */
export function withResourceVersion(json: Buffer, revision: Revision): Buffer {
  const value = `"${revision}"`;
  const root = openObject(json, 0);
  for (let at = skipSpace(json, root); json[at] !== CLOSE_OBJECT; ) {
    const keyEnd = skipString(json, at);
    const start = valueStart(json, keyEnd);
    if (isKey(json, at, keyEnd, METADATA)) return inMetadata(json, start, value);
    at = nextMember(json, skipValue(json, start));
  }
  const close = json[skipSpace(json, root)] === CLOSE_OBJECT ? "" : ",";
  return splice(json, root, root, `"metadata":{"resourceVersion":${value}}${close}`);
}

function inMetadata(json: Buffer, start: number, value: string): Buffer {
  const inside = openObject(json, start);
  let insertAt = inside;
  for (let at = skipSpace(json, inside); json[at] !== CLOSE_OBJECT; ) {
    const keyEnd = skipString(json, at);
    const from = valueStart(json, keyEnd);
    const end = skipValue(json, from);
    if (isKey(json, at, keyEnd, RESOURCE_VERSION)) return splice(json, from, end, value);
    for (let i = 0; i < BEFORE.length; i++) {
      if (!isKey(json, at, keyEnd, BEFORE[i] as Buffer)) continue;
      insertAt = end;
      break;
    }
    at = nextMember(json, end);
  }
  if (insertAt > inside) return splice(json, insertAt, insertAt, `,"resourceVersion":${value}`);
  const comma = json[skipSpace(json, inside)] === CLOSE_OBJECT ? "" : ",";
  return splice(json, inside, inside, `"resourceVersion":${value}${comma}`);
}

/** Whether the string in quotes from `start` to `end` has these bytes. */
function isKey(json: Buffer, start: number, end: number, key: Buffer): boolean {
  if (end - start !== key.length + 2) return false;
  for (let i = 0; i < key.length; i++) if (json[start + 1 + i] !== key[i]) return false;
  return true;
}

/** Returns the offset of the value that follows a key. */
function valueStart(json: Buffer, keyEnd: number): number {
  const colon = skipSpace(json, keyEnd);
  if (json[colon] !== COLON) throw malformed(colon);
  return skipSpace(json, colon + 1);
}

/** Returns the offset after a value and its comma, or of the brace that ends the object. */
function nextMember(json: Buffer, end: number): number {
  const at = skipSpace(json, end);
  if (json[at] === COMMA) return skipSpace(json, at + 1);
  if (json[at] !== CLOSE_OBJECT) throw malformed(at);
  return at;
}

function openObject(json: Buffer, start: number): number {
  const at = skipSpace(json, start);
  if (json[at] !== OPEN_OBJECT) throw malformed(at);
  return at + 1;
}

function skipSpace(json: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const byte = json[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** Returns the offset after the string that starts at `start`. */
function skipString(json: Buffer, start: number): number {
  if (json[start] !== QUOTE) throw malformed(start);
  for (let at = start + 1; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  throw malformed(json.length);
}

/** Returns the offset after the value that starts at `start`. Nesting is counted without recursion, so it may be deep. */
function skipValue(json: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < json.length) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = skipString(json, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === COMMA || (byte !== undefined && byte <= 0x20))) return at;
    at++;
  }
  throw malformed(at);
}

function splice(json: Buffer, start: number, end: number, text: string): Buffer {
  const result = Buffer.allocUnsafe(json.length - (end - start) + text.length);
  json.copy(result, 0, 0, start);
  result.write(text, start, "latin1");
  json.copy(result, start + text.length, end);
  return result;
}

function malformed(at: number): TypeError {
  return new TypeError(`cannot set metadata.resourceVersion: byte ${at} is not valid in a JSON object`);
}
