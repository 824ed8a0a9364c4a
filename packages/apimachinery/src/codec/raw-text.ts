import type { MessageSchema } from "../schema/index.ts";

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
  "\\b": "\\u0008",
  "\\f": "\\u000c",
};
/**
 * Characters that Go escapes, and complete escape sequences, so that the letter after an escaped backslash is not
 * mistaken for one.
 */
const escaped = /\\.|[<>&\u2028\u2029]/g;

/**
 * JSON text as Go's encoding/json writes it: escaped for HTML, with the same meaning. Clients compare raw parts of
 * objects, such as the template in a ControllerRevision, byte by byte with what they would write, and treat any
 * difference as a change.
 */
export function goJsonText(json: string): string {
  return json.replace(escaped, (found) => escapes[found] ?? found);
}

/** Whether objects of a kind have a part that is kept as raw JSON, as ControllerRevisions have. */
export function holdsRawJson(schema: MessageSchema): boolean {
  return Object.values(schema.fields()).some(({ schema: { kind } }) => kind === "raw");
}
