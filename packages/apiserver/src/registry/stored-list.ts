import { ApiError, failure, resourceExpired } from "@orchernetes/apimachinery";
import { type CacheEntry, isStoreError, type Revision } from "@orchernetes/storage";
import { encodeContinue } from "./continue-token.ts";
import type { ListResult, ReadSource } from "./resource-reader.ts";
import type { EntrySelection } from "./selection.ts";

/** Objects read from the store at a time when a filter makes the needed number unknown. */
const storePage = 500;

/**
 * Reads what is selected from the store.
 *
 * @param start the revision to read at (undefined: the present one), and the key to go on after ("": from the beginning)
 * @param view whether entries are in the version's form, or in the one that is stored. @default false
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
      // All pages are of the first one's moment.
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

/** What a list says that has no further page. */
const all = { continue: undefined, remaining: undefined, source: "store" } as const;

/** 410 for a page whose revision was compacted; the token in it continues at the current revision. */
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
