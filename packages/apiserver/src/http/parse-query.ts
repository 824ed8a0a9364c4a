import type { Query } from "../interfaces/index.ts";

/** Limits of what is kept: clients choose the texts. */
const maxKept = 256;
const maxLength = 200;

const known = new Map<string, Query>();

/**
 * Parses the query of a URL. The results of short ones are kept, because clients repeat them (`resourceVersion=0`, `fieldManager=…`) and
 * parsing costs more than the rest of the look-up that a GET is.
 */
export function parseQuery(text: string): Query {
  const kept = known.get(text);
  if (kept !== undefined) return kept;
  const query = new URLSearchParams(text);
  if (text.length > maxLength) return query;
  if (known.size >= maxKept) known.clear();
  known.set(text, query);
  return query;
}
