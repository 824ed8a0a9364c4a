import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Tags,
  YAMLParseError,
} from "yaml";
import { DecodeError } from "./decode-error.ts";
import { defaultMaxDepth, type ParsedDocument } from "./json.ts";

export interface ParseYamlOptions {
  /** @default 1000 */
  readonly maxDepth?: number;
  /** Characters of text. @default 3145728 */
  readonly maxLength?: number;
  /** Look for keys that occur twice in a mapping. @default false */
  readonly duplicates?: boolean;
}

/** Types of YAML 1.1 that the API's tools never resolve: such values stay text. */
const unresolved: ReadonlySet<unknown> = new Set([
  "tag:yaml.org,2002:timestamp",
  "tag:yaml.org,2002:set",
  "tag:yaml.org,2002:omap",
  "tag:yaml.org,2002:pairs",
  "tag:yaml.org,2002:binary",
]);

const withoutExotic = (tags: Tags): Tags =>
  // Sexagesimal numbers ("22:22") are text as well: port mappings look like that.
  tags.filter(
    (tag) => typeof tag === "string" || !(unresolved.has(tag.tag) || ("format" in tag && tag.format === "TIME")),
  );

/**
 * Parses one YAML document (of which JSON is one form). `yes`, `on` and octal numbers resolve as in YAML 1.1, timestamps
 * stay text, aliases are limited, keys are text.
 *
 * @throws DecodeError naming the line; also for a stream of several documents
 */
export function parseYaml(text: string, options: ParseYamlOptions = {}): ParsedDocument {
  const { maxDepth = defaultMaxDepth, maxLength = 3 * 1024 * 1024 } = options;
  if (text.length > maxLength) {
    throw new DecodeError(`yaml: the document has ${text.length} characters, more than ${maxLength}`);
  }
  checkFlowDepth(text, maxDepth);
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      version: "1.1",
      merge: true,
      uniqueKeys: false,
      customTags: withoutExotic,
      lineCounter: lines,
      prettyErrors: false,
      // Anything quieter hides that there is a second document.
      logLevel: "error",
    });
    const fault = document.errors[0];
    if (fault !== undefined) {
      throw fault;
    }
    const duplicateFields = options.duplicates === true ? duplicateKeys(document) : [];
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    checkDepth(value, maxDepth);
    return { value, duplicateFields };
  } catch (error) {
    throw describe(error, maxDepth, lines);
  }
}

function describe(error: unknown, maxDepth: number, lines: LineCounter): DecodeError {
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
  return new DecodeError(`yaml: ${error instanceof Error ? error.message : String(error)}`, "", { cause: error });
}

/**
 * Refuses hostile flow nesting before the parser recurses into it. Counts every bracket, those in text as well, so the
 * limit is far above what {@link checkDepth} allows.
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

function checkDepth(value: unknown, maxDepth: number): void {
  let level: unknown[] = [value];
  const seen = new Set<unknown>();
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) {
      throw tooDeep(maxDepth);
    }
    const next: unknown[] = [];
    for (const item of level) {
      // Aliases share nodes; each needs one visit only.
      if (typeof item === "object" && item !== null && !seen.has(item)) {
        seen.add(item);
        for (const child of Object.values(item)) {
          next.push(child);
        }
      }
    }
    level = next;
  }
}

function duplicateKeys(document: Document.Parsed): readonly string[] {
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
