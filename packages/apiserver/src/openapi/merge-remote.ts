import { isDeepStrictEqual } from "node:util";
import type { GroupVersion, RemoteDocument } from "../interfaces/index.ts";

/** A document of version 2. Only the parts that merging reads are checked. */
export type Swagger = Readonly<Record<string, unknown>>;

type Definitions = ReadonlyMap<string, unknown>;

/** Limit of nesting. Deeper documents are attempts to exhaust the stack. */
const maxDepth = 200;

const reference = "#/definitions/";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const entriesOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);

function definitionNameOf(key: string, value: unknown): string | undefined {
  return key === "$ref" && typeof value === "string" && value.startsWith(reference)
    ? value.slice(reference.length)
    : undefined;
}

/** Calls `found` with the name of each definition that a value refers to. */
function eachReference(value: unknown, found: (name: string) => void, depth = 0): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > maxDepth) throw new Error(`the document is nested deeper than ${maxDepth}`);
  for (const [key, member] of Object.entries(value)) {
    const name = definitionNameOf(key, member);
    if (name === undefined) eachReference(member, found, depth + 1);
    else found(name);
  }
}

/**
 * A copy with other names of definitions. Properties are defined and never assigned: keys are the other server's and
 * may be `__proto__`.
 */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((member) => renamed(member, names));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = definitionNameOf(key, member);
      return [key, name === undefined ? renamed(member, names) : `${reference}${names.get(name) ?? name}`];
    }),
  );
}

/** The definitions that values refer to, those that these refer to, and so on. */
function reachable(values: readonly unknown[], all: Definitions): Definitions {
  const found = new Map<string, unknown>();
  const open = [...values];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    eachReference(value, (name) => {
      if (found.has(name) || !all.has(name)) return;
      const definition = all.get(name);
      found.set(name, definition);
      open.push(definition);
    });
  }
  return found;
}

function belongsTo(path: string, groupVersions: readonly GroupVersion[]): boolean {
  return groupVersions.some(({ group, version }) => path.startsWith(`/apis/${group}/${version}/`));
}

/** A name that is free in both documents. */
function freeName(name: string, taken: (name: string) => boolean): string {
  for (let count = 2; ; count++) if (!taken(`${name}_v${count}`)) return `${name}_v${count}`;
}

/** New names for definitions of the other document whose names mean something else in this one. */
function conflicts(theirs: Definitions, ours: Definitions): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const given = new Set<string>();
  for (const [name, definition] of theirs) {
    if (!ours.has(name) || isDeepStrictEqual(ours.get(name), definition)) continue;
    const free = freeName(name, (other) => ours.has(other) || theirs.has(other) || given.has(other));
    given.add(free);
    names.set(name, free);
  }
  return names;
}

/**
 * Adds the paths that other servers document for their group versions, and the definitions that these need. Existing
 * paths stay. Definitions with an existing name but other content get new names. Documents that are not valid are left
 * out: another server must not break the document of this one.
 */
export function mergeRemote(own: Swagger, remotes: readonly RemoteDocument[]): Swagger {
  const paths = new Map(entriesOf(own.paths));
  const definitions = new Map(entriesOf(own.definitions));
  for (const remote of remotes) {
    try {
      const document: unknown = JSON.parse(remote.body.toString("utf8"));
      if (!isRecord(document)) throw new Error("the document is not an object");
      const added = entriesOf(document.paths).filter(
        ([path, item]) => isRecord(item) && !paths.has(path) && belongsTo(path, remote.groupVersions),
      );
      const all = new Map(entriesOf(document.definitions).filter(([, definition]) => isRecord(definition)));
      const needed = reachable(
        added.map(([, item]) => item),
        all,
      );
      const names = conflicts(needed, definitions);
      for (const [path, item] of added) paths.set(path, renamed(item, names));
      for (const [name, definition] of needed) {
        const to = names.get(name) ?? name;
        if (!definitions.has(to)) definitions.set(to, renamed(definition, names));
      }
    } catch {
      // Not a document, or a malicious one: left out.
    }
  }
  return { ...own, paths: Object.fromEntries(paths), definitions: Object.fromEntries(definitions) };
}
