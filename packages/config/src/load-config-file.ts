import { readFile } from "node:fs/promises";
import { yamlError } from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";
import { parseDocument } from "yaml";
import type { z } from "zod";
import { pathText } from "./issue-lines.ts";
import { overlay } from "./overlay.ts";
import { quoteValue } from "./quote-value.ts";

/**
 * A configuration file cannot be used. Each error is one line: file, path in the document, value, accepted values.
 * Values that may be secrets are not quoted, so the message may be logged.
 */
export class ConfigFileError extends Error {
  override readonly name = "ConfigFileError";
  /** All errors of the file; `message` is the same lines joined. */
  readonly errors: readonly string[];
  constructor(errors: readonly string[], options?: ErrorOptions) {
    super(errors.join("\n"), options);
    this.errors = errors;
  }
}

/** Size limit of a file: that of a request body of the API server (3 MiB), far above any real configuration. */
const MAX_FILE_BYTES = 3 * 1024 * 1024;

/**
 * Reads a YAML or JSON file, strictly: repeated fields are errors, because only one of them could take effect.
 *
 * @param source the name of the file in errors @default `file "<path>"`
 * @throws ConfigFileError with all errors at once
 */
export async function readConfigDocument(path: string, source = `file "${path}"`): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigFileError([`${source} cannot be read: ${why}; want a readable YAML or JSON file`], {
      cause: error,
    });
  }
  if (text.length > MAX_FILE_BYTES)
    throw new ConfigFileError([`${source} is larger than ${MAX_FILE_BYTES} bytes; want a smaller file`]);
  return parseConfigText(text, source);
}

/**
 * Parses YAML or JSON text strictly.
 *
 * @throws ConfigFileError with all errors at once
 */
export function parseConfigText(text: string, source: string): unknown {
  // parseDocument reports a second document in the file as an error, as intended.
  const document = parseDocument(text, { uniqueKeys: true, strict: true, prettyErrors: true });
  if (document.errors.length > 0) {
    throw new ConfigFileError(
      document.errors.map((error) => `${source}: ${yamlError(error)}; want valid YAML or JSON`),
    );
  }
  try {
    // A limit on aliases keeps a small file from expanding to gigabytes ("billion laughs").
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new ConfigFileError([`${source}: ${yamlError(error)}`]);
  }
}

/**
 * Checks a document against a schema and fills in its defaults. The document is not modified.
 *
 * @param source the name of the document in errors, such as `file "/etc/orchlet.yaml"`
 * @throws ConfigFileError with all errors at once
 */
export function parseConfig<S extends z.ZodType>(document: unknown, schema: S, source: string): z.output<S> {
  const result = schema.safeParse(document);
  if (result.success) return result.data;
  throw new ConfigFileError(result.error.issues.flatMap((issue) => describe(issue, document, source)));
}

/**
 * Loads a configuration file, checks it and fills in its defaults. Values of flags are put into the document before
 * the check, so that rules between fields hold for the result and not only for the file.
 *
 * @param settings the values of flags by dotted field path; they override those of the file
 * @throws ConfigFileError with all errors at once
 */
export async function loadConfigFile<S extends z.ZodType>(
  path: string,
  schema: S,
  settings: ReadonlyMap<string, unknown> = new Map(),
): Promise<z.output<S>> {
  const document = await readConfigDocument(path);
  return parseConfig(overlay(document, settings), schema, `file "${path}"`);
}

/** Error lines of one issue of zod: one for each unknown field, otherwise one. */
function describe(issue: z.core.$ZodIssue, document: unknown, source: string): readonly string[] {
  const path = issue.path.map(String);
  const at = (field: readonly string[]) => (field.length === 0 ? source : `${source}, field ${pathText(field)}`);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${at([...path, key])}: unknown field`);
  }
  const value = valueAt(document, issue.path);
  const found =
    value === undefined ? "missing" : `invalid value ${isSecret(path, value) ? "(not shown)" : quoteValue(value)}`;
  return [`${at(path)}: ${found}; ${wanted(issue)}`];
}

/**
 * Errors are logged, so they must not quote headers with credentials. A document that is a single text was probably
 * not the file that was meant, and it may be a key or a token.
 */
const isSecret = ([field]: readonly string[], value: unknown): boolean =>
  field === "staticPodURLHeader" || (field === undefined && typeof value === "string");

/** What would have been accepted, in words for the author of the file. */
function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `want ${article(issue.expected === "int" ? "whole number" : issue.expected)}`;
    case "invalid_value":
      return `want ${issue.values.length === 1 ? "" : "one of "}${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      if (issue.origin === "string" || issue.origin === "array") return "want it not empty";
      return `want ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      return `want at most ${issue.maximum}`;
    case "invalid_union":
      return "want a value of another form";
    default:
      return issue.message;
  }
}

const article = (noun: string) =>
  noun === "array" ? "a list" : noun === "object" || noun === "record" ? "a mapping" : `a ${noun}`;

function valueAt(document: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      // Own properties only: a path may contain names such as `constructor`.
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    document,
  );
}
