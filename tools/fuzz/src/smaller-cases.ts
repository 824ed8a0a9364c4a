import type { FuzzCase } from "./target.ts";

/**
 * Smaller cases to try, largest steps first: without parts of texts and lists, and without members of JSON texts.
 *
 * Large steps first, as in delta debugging: half of an input is often irrelevant, and each try may cost a request.
 */
export function* smallerCases(input: FuzzCase): Generator<FuzzCase> {
  for (const [part, content] of Object.entries(input)) {
    if (typeof content === "string") {
      for (const text of shorterTexts(content)) yield { ...input, [part]: text };
    } else {
      for (const list of shorterLists(content)) yield { ...input, [part]: list };
      for (const [i, item] of content.entries()) {
        for (const text of shorterTexts(item)) yield { ...input, [part]: content.with(i, text) };
      }
    }
  }
}

function* shorterTexts(text: string): Generator<string> {
  if (text.startsWith("{") || text.startsWith("[")) yield* withoutMembers(text);
  for (let size = text.length; size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let at = 0; at < text.length; at += size) yield text.slice(0, at) + text.slice(at + size);
  }
}

function* shorterLists(list: readonly string[]): Generator<readonly string[]> {
  for (let size = list.length; size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let at = 0; at < list.length; at += size) yield list.toSpliced(at, size);
  }
}

function* withoutMembers(text: string): Generator<string> {
  let root: unknown;
  try {
    root = JSON.parse(text);
    // JSON that nests too deeply to be written again is only shortened as a text.
    JSON.stringify(root);
  } catch {
    return;
  }
  const todo: unknown[] = [root];
  for (let value = todo.shift(); value !== undefined; value = todo.shift()) {
    if (typeof value !== "object" || value === null) continue;
    for (const key of Object.keys(value)) {
      const holder = value as Record<string, unknown>;
      const item = holder[key];
      const members = Object.entries(holder);
      if (Array.isArray(value)) {
        value.splice(Number(key), 1);
        yield JSON.stringify(root);
        value.splice(Number(key), 0, item);
      } else {
        delete holder[key];
        yield JSON.stringify(root);
        // Order matters to the cases: all members are added again so that the one left out gets its place back.
        for (const [name] of members) delete holder[name];
        for (const [name, content] of members) {
          Object.defineProperty(holder, name, { value: content, enumerable: true, configurable: true, writable: true });
        }
      }
      if (typeof item === "object" && item !== null) todo.push(item);
    }
  }
}
