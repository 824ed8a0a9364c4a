import { messageOf } from "@orchernetes/kernel";
import { poll } from "../processes/poll.ts";
import type { Requests } from "./api-access.ts";
import type { Operation } from "./history.ts";
import { perform } from "./traffic.ts";

/** The result of {@link settle}. */
export interface Settlement {
  /** All requests in order, including those without a response: watches may have received their writes. */
  readonly operations: readonly Operation[];
  /** What did not recover in time; undefined if everything did. */
  readonly failure: string | undefined;
}

/** The options of {@link settle}. */
export interface SettleOptions {
  readonly access: Requests;
  /** A number that no other client of the round has. */
  readonly client: number;
  /** The last revisions that the watches have received. */
  readonly watches: readonly { readonly position: number }[];
  /** Time limit of the write, and again of the watches, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Retries one more write until it succeeds, waits until every watch has received it, and lists once more. The final
 * list is the reference that earlier observations must agree with. Never rejects.
 */
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
    failure = messageOf(error);
  }
  await ask({ type: "list" });
  return { operations, failure };
}
