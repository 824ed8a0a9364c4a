import { messageOf } from "@orchernetes/kernel";
import type { Document, LineCounter, Node, ScalarTag, Tags } from "yaml";
import { DecodeError } from "./decode-error.ts";
import { normalizeIntegers } from "./exact-integers.ts";
import { defaultMaxDepth, type ParsedDocument } from "./json.ts";
import { yamlLibrary } from "./yaml-library.ts";

/** Options of {@link parseYaml}. */
export interface ParseYamlOptions {
  /** @default 1000 */
  readonly maxDepth?: number;
  /** Limit of the text in characters, and of its values with all aliases expanded. @default 3145728 */
  readonly maxLength?: number;
  /** Whether to look for keys that occur twice in a mapping. @default false */
  readonly duplicates?: boolean;
}

/** Matches integers that may be beyond ±2⁵³: decimal, octal, binary or hexadecimal, with underscores between digits. */
const longInteger = /[0-9][0-9_]{15}|0x[0-9a-fA-F_]{14}/;

/** Types of YAML 1.1 that Kubernetes' parser does not resolve: such values stay text. */
const unresolved: ReadonlySet<unknown> = new Set([
  "tag:yaml.org,2002:timestamp",
  "tag:yaml.org,2002:set",
  "tag:yaml.org,2002:omap",
  "tag:yaml.org,2002:pairs",
  "tag:yaml.org,2002:binary",
]);

/** `!!binary` is decoded to the text that its base64 contains. */
const binary: ScalarTag = {
  tag: "tag:yaml.org,2002:binary",
  resolve: (text, onError) => {
    const base64 = text.replace(/[\r\n]/g, "");
    const bytes = Buffer.from(base64, "base64");
    if (bytes.toString("base64") === base64) return bytes.toString();
    onError("!!binary value contains invalid base64 data");
    return text;
  },
};

const withoutExotic = (tags: Tags): Tags => [
  // Sexagesimal numbers ("22:22") stay text as well: port mappings have this form.
  ...tags.filter(
    (tag) => typeof tag === "string" || !(unresolved.has(tag.tag) || ("format" in tag && tag.format === "TIME")),
  ),
  binary,
];

/**
 * Parses one YAML document (JSON is one form of it). `yes`, `on` and octal numbers resolve as in YAML 1.1, timestamps
 * stay text, aliases are limited, and keys are text. A `%YAML` directive may only name version 1.1, because the
 * meaning of scalars depends on it.
 *
 * @throws DecodeError with the line; also for a stream of several documents and for unknown directives
 */
export function parseYaml(text: string, options: ParseYamlOptions = {}): ParsedDocument {
  const { maxDepth = defaultMaxDepth, maxLength = 3 * 1024 * 1024 } = options;
  if (text.length > maxLength) {
    throw new DecodeError(`yaml: the document has ${text.length} characters, more than ${maxLength}`);
  }
  checkFlowDepth(text, maxDepth);
  const { LineCounter, parseDocument } = yamlLibrary();
  const lines = new LineCounter();
  const intAsBigInt = longInteger.test(text);
  try {
    const document = parseDocument(text, {
      intAsBigInt,
      version: "1.1",
      merge: true,
      uniqueKeys: false,
      customTags: withoutExotic,
      lineCounter: lines,
      prettyErrors: false,
      // A lower level hides the error about a second document.
      logLevel: "error",
    });
    const error = document.errors[0];
    if (error !== undefined) {
      throw error;
    }
    checkDirectives(document, lines);
    checkNodes(document, lines);
    const duplicateFields = options.duplicates === true ? duplicateKeys(document) : [];
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    checkExtent(value, maxDepth, maxLength);
    return { value: intAsBigInt ? normalizeIntegers(value) : value, duplicateFields };
  } catch (error) {
    throw describe(error, maxDepth, lines);
  }
}

function describe(error: unknown, maxDepth: number, lines: LineCounter): DecodeError {
  const { YAMLParseError } = yamlLibrary();
  if (error instanceof DecodeError) {
    return error;
  }
  if (error instanceof YAMLParseError && error.code !== "RESOURCE_EXHAUSTION") {
    const reason =
      error.code === "MULTIPLE_DOCS" ? "more than one document; give one document per request" : error.message;
    return new DecodeError(`yaml: line ${lines.linePos(error.pos[0]).line}: ${reason}`, "", { cause: error });
  }
  if (error instanceof RangeError || error instanceof YAMLParseError) {
    return tooDeep(maxDepth, error);
  }
  return new DecodeError(`yaml: ${messageOf(error)}`, "", { cause: error });
}

/**
 * Rejects hostile flow nesting before the parser recurses into it. It counts every bracket, including those in text,
 * so the limit is far above that of {@link checkExtent}.
 */
function checkFlowDepth(text: string, maxDepth: number): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) {
      depth++;
      if (depth > 10 * maxDepth) {
        throw tooDeep(maxDepth);
      }
    } else if ((code === 0x5d || code === 0x7d) && depth > 0) {
      depth--;
    }
  }
}

function tooDeep(maxDepth: number, cause?: unknown): DecodeError {
  const message = `yaml: exceeded max depth: the document nests deeper than ${maxDepth} levels`;
  return new DecodeError(message, "", cause === undefined ? undefined : { cause });
}

/** Checks the directives. @throws DecodeError for another version than 1.1 and for unknown directives */
function checkDirectives({ directives, warnings }: Document.Parsed, lines: LineCounter): void {
  const unknown = warnings.find(({ code }) => code === "BAD_DIRECTIVE");
  if (unknown !== undefined) {
    throw new DecodeError(`yaml: line ${lines.linePos(unknown.pos[0]).line}: ${unknown.message}`);
  }
  const { explicit, version } = directives.yaml;
  if (explicit === true && version !== "1.1") {
    throw new DecodeError(
      `yaml: found incompatible YAML document: it has directive %YAML ${version}; use 1.1, or leave it out`,
    );
  }
}

/** Limit of the product of aliases and anchors: the library searches all anchors for every alias. */
const maxAliasLookups = 10_000_000;

/**
 * Rejects what must not reach the conversion to plain values: keys that are collections, which would be written as
 * text (each level doubles it), text that is not valid UTF-8, and more aliases than can be resolved in a short time.
 * It does not recurse.
 *
 * @throws DecodeError
 */
function checkNodes(document: Document.Parsed, lines: LineCounter): void {
  const { isAlias, isCollection, isMap, isScalar, isSeq } = yamlLibrary();
  const anchoredCollections = new Set<string>();
  const aliasKeys: { readonly source: string; readonly offset: number }[] = [];
  let anchors = 0;
  let aliases = 0;
  const badKey = (offset: number): DecodeError =>
    new DecodeError(`yaml: line ${lines.linePos(offset).line}: a mapping or list is used as a key; keys must be text`);
  const todo: unknown[] = [document.contents];
  while (todo.length > 0) {
    const node = todo.pop();
    if (isScalar(node) && typeof node.value === "string" && !node.value.isWellFormed()) {
      const { line } = lines.linePos(node.range?.[0] ?? 0);
      throw new DecodeError(
        `yaml: line ${line}: found invalid Unicode character escape code: half of a surrogate pair`,
      );
    }
    if (isAlias(node)) aliases++;
    else if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) {
      anchors++;
      if (isCollection(node)) anchoredCollections.add(node.anchor);
    }
    if (isSeq(node)) {
      for (const item of node.items) todo.push(item);
    } else if (isMap(node)) {
      for (const { key, value } of node.items) {
        if (isCollection(key)) throw badKey(key.range?.[0] ?? 0);
        if (isAlias(key)) aliasKeys.push({ source: key.source, offset: key.range?.[0] ?? 0 });
        todo.push(key, value);
      }
    }
  }
  const collectionKey = aliasKeys.find(({ source }) => anchoredCollections.has(source));
  if (collectionKey !== undefined) throw badKey(collectionKey.offset);
  if (aliases * anchors > maxAliasLookups) {
    throw new DecodeError(`yaml: ${aliases} aliases of ${anchors} anchors are more than can be resolved`);
  }
}

/**
 * Rejects values that, with every alias expanded, contain themselves, nest too deeply, or exceed the length limit. It
 * does not recurse.
 *
 * @throws DecodeError
 */
function checkExtent(root: unknown, maxDepth: number, maxLength: number): void {
  /** Depth and length in characters of the values that have been walked; undefined while a value is being walked. */
  const extents = new Map<object, { readonly depth: number; readonly length: number } | undefined>();
  const path: {
    readonly value: object;
    readonly children: readonly unknown[];
    next: number;
    depth: number;
    length: number;
  }[] = [];
  const enter = (value: object): void => {
    if (path.length > maxDepth) throw tooDeep(maxDepth);
    extents.set(value, undefined);
    path.push({ value, children: Object.values(value), next: 0, depth: 0, length: 2 });
  };
  if (typeof root === "object" && root !== null) enter(root);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    if (top.next === top.children.length) {
      path.pop();
      extents.set(top.value, { depth: top.depth, length: top.length });
      const parent = path.at(-1);
      if (parent !== undefined) {
        parent.depth = Math.max(parent.depth, top.depth + 1);
        parent.length += top.length;
      }
      if (path.length + top.depth > maxDepth) throw tooDeep(maxDepth);
      if (top.length > maxLength) {
        throw new DecodeError(`yaml: the document has more than ${maxLength} characters with its aliases written out`);
      }
      continue;
    }
    const child = top.children[top.next++];
    if (typeof child !== "object" || child === null) {
      // Numbers that JSON cannot represent.
      if (typeof child === "number" && !Number.isFinite(child)) {
        throw new DecodeError(`json: unsupported value: ${child}`);
      }
      top.length += typeof child === "string" ? child.length + 1 : 1;
    } else if (!extents.has(child)) {
      enter(child);
    } else {
      const known = extents.get(child);
      if (known === undefined) throw new DecodeError("yaml: the value of an anchor contains itself");
      top.depth = Math.max(top.depth, known.depth + 1);
      top.length += known.length;
      if (path.length + known.depth > maxDepth) throw tooDeep(maxDepth);
    }
  }
}

function duplicateKeys(document: Document.Parsed): readonly string[] {
  const { isMap, isScalar, isSeq } = yamlLibrary();
  const found = new Set<string>();
  const visit = (node: Node | null | unknown, path: string): void => {
    if (isMap(node)) {
      const keys = new Set<string>();
      for (const pair of node.items) {
        const key = isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
        const at = path === "" ? key : `${path}.${key}`;
        if (keys.has(key)) {
          found.add(at);
        }
        keys.add(key);
        visit(pair.value, at);
      }
    } else if (isSeq(node)) {
      for (const [i, item] of node.items.entries()) {
        visit(item, `${path}[${i}]`);
      }
    }
  };
  visit(document.contents, "");
  return [...found];
}
