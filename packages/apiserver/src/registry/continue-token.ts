import { badRequest } from "@orchernetes/apimachinery";
import { parseRevision, type Revision } from "@orchernetes/storage";

/** Where a list continues: after which key, and as of which revision. */
export interface ContinueToken {
  /** -1: at the current revision (the list is then not consistent with the previous pages). */
  readonly revision: Revision | -1;
  /**
   * The last key on the page before, relative to the list's prefix. Keys and not positions, so that a page is found
   * whatever was created or deleted before it.
   */
  readonly after: string;
}

const version = "meta.o8s.io/v1";

/**
 * The opaque text that clients send back in `continue`: base64url of JSON, in upstream's layout (`v`, `rv`, `start`).
 * `start` is the key after the last one given; a NUL at its end makes it the smallest string that is greater.
 */
export function encodeContinue(token: ContinueToken): string {
  const json = JSON.stringify({ v: version, rv: token.revision, start: `${token.after}\u0000` });
  return Buffer.from(json).toString("base64url");
}

/**
 * Parses what {@link encodeContinue} wrote.
 *
 * @throws ApiError BadRequest for anything else. Clients may change the text, so it is checked like any other input: a
 *   key that left the prefix would read the objects of other resources or namespaces.
 */
export function decodeContinue(text: string): ContinueToken {
  const bad = (detail: string) => badRequest(`continue key is not valid: ${detail}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    throw bad("it is not the text of an earlier list's metadata.continue");
  }
  if (typeof parsed !== "object" || parsed === null) throw bad("it holds no object");
  const { v, rv, start } = parsed as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== version) throw bad(`version ${JSON.stringify(v)} is not ${version}`);
  if (typeof start !== "string" || !start.endsWith("\u0000")) throw bad("its start key is missing");
  const revision = rv === -1 ? -1 : parseRevision(String(rv));
  if (revision === undefined || revision === 0) throw bad("incorrect encoded start resourceVersion");
  const after = start.slice(0, -1);
  // A key must not be outside the list's prefix.
  if (after.startsWith("/") || after.split("/").includes("..")) throw bad("its start key is malformed");
  return { revision, after };
}
