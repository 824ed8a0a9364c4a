import { poll } from "../processes/poll.ts";
import type { Requests } from "./api-access.ts";
import type { Operation } from "./history.ts";
import { perform } from "./traffic.ts";

/** How the end of a round went. */
export interface Settlement {
  /** All that was asked, in order, whether or not it came to an end: watches may have seen writes that got no answer. */
  readonly operations: readonly Operation[];
  /** What did not work in time; undefined when all did. */
  readonly failure: string | undefined;
}

/** What {@link settle} needs. */
export interface SettleOptions {
  readonly access: Requests;
  /** Number that no other client of the round has. */
  readonly client: number;
  /** The last revisions that they have seen. */
  readonly watches: readonly { readonly position: number }[];
  /** For the write, and again for the watches. */
  readonly timeoutMs: number;
}

/** One more write, tried until it works, which every watch must see, and a last list. Never rejects. */
export async function settle({ access, client, watches, timeoutMs }: SettleOptions): Promise<Settlement> {
  const operations: Operation[] = [];
  const ask = async (request: Operation["request"]): Promise<Operation["outcome"]> => {
    const startMs = performance.now();
    const outcome = await perform(access, request);
    operations.push({ client, request, outcome, startMs, endMs: performance.now() });
    return outcome;
  };
  let count = 0;
  let failure: string | undefined;
  try {
    const last = await poll({ what: "a write to work", timeoutMs, intervalMs: 50 }, async () => {
      const outcome = await ask({ type: "create", key: `last-${count}`, id: `${client}-last-${count++}` });
      return outcome.type === "ok" ? outcome.seen?.revision : undefined;
    });
    await poll({ what: `every watch to reach ${last}`, timeoutMs, intervalMs: 20 }, () =>
      watches.every(({ position }) => position >= last),
    );
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  await ask({ type: "list" });
  return { operations, failure };
}
