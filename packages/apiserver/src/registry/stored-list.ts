import { ApiError, failure, resourceExpired } from "@orchernetes/apimachinery";
import { type CacheEntry, isStoreError, type Revision } from "@orchernetes/storage";
import { encodeContinue } from "./continue-token.ts";
import type { ListResult, ReadSource } from "./resource-reader.ts";
import type { EntrySelection } from "./selection.ts";

/** Page size of reads from the store, in objects, when a filter makes the needed number unknown. */
const storePage = 500;

/**
 * Lists the selected objects from the store, page by page, all at the revision of the first one. With a filter, pages
 * are read until enough objects match or the prefix ends; between pages the event loop gets its turn.
 *
 * @param start the revision to read at (undefined: the current one), and the key to continue after ("": from the
 *   beginning)
 * @param limit 0: all
 * @param view whether entries are in the version's form; otherwise they are in the stored form. @default false
 * @throws ApiError Expired when the revision was compacted
 */
export async function listStored(
  source: ReadSource,
  selection: EntrySelection,
  start: { readonly revision: Revision | undefined; readonly after: string },
  limit: number,
  signal: AbortSignal,
  view = false,
): Promise<ListResult> {
  const { storage } = source;
  const prefix = storage.listPrefix(selection.namespace);
  const shown = async (entries: readonly CacheEntry[]) =>
    view && !source.direct ? source.entries(entries, { signal }) : entries;
  let { revision } = start;
  const found: CacheEntry[] = [];
  const { matches, name, unfiltered } = selection;
  let after = start.after === "" ? undefined : prefix + start.after;
  let examined = 0;
  try {
    for (;;) {
      const pageLimit = limit > 0 && unfiltered ? limit : storePage;
      const page = await storage.list(selection.namespace, {
        limit: pageLimit,
        signal,
        ...(revision === undefined ? {} : { revision }),
        ...(after === undefined ? {} : { after }),
      });
      // Later pages are read at the revision of the first, so that the list is consistent.
      revision ??= page.revision;
      for (const [index, { key, value, modRevision, createRevision }] of page.items.entries()) {
        const entry = storage.entryOf(key, value, modRevision, createRevision);
        after = key;
        examined++;
        if (name !== undefined && entry.name !== name) continue;
        if (matches !== undefined && !matches(entry)) continue;
        found.push(entry);
        const rest = page.items.length - index - 1;
        if (limit > 0 && found.length === limit && (rest > 0 || page.more)) {
          const remaining = unfiltered && page.remaining !== undefined ? page.remaining + rest : undefined;
          return {
            entries: await shown(found),
            revision,
            continue: encodeContinue({ revision, after: key.slice(prefix.length) }),
            remaining,
            source: "store",
            examined,
          };
        }
      }
      if (!page.more) return { ...all, entries: await shown(found), revision, examined };
      await source.environment.loop.nextTurn();
    }
  } catch (error) {
    if (isStoreError(error, "Compacted")) throw expired(start.after);
    throw error;
  }
}

/** The result of a list without a further page. */
const all = { continue: undefined, remaining: undefined, source: "store" } as const;

/**
 * 410 for a page whose revision was compacted. The token in its metadata continues at the current revision, for clients
 * that prefer an inconsistent list to starting over. Upstream's text (`inconsistentContinue`).
 */
function expired(after: string): ApiError {
  if (after === "") return resourceExpired("The resourceVersion for the provided list is too old.");
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the " +
    "continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with " +
    "the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time " +
    "the first chunk was returned and now may show up in the list.";
  const status = failure("Expired", message);
  return new ApiError({ ...status, metadata: { continue: encodeContinue({ revision: -1, after }) } });
}
