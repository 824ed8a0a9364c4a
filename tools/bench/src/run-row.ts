import { messageOf } from "@orchernetes/kernel";
import type { TestApiServer } from "@orchernetes/testkit";
import type { Result, Row } from "./row.ts";
import { startBenchServer } from "./servers/bench-server.ts";
import { longestStallMs } from "./servers/loop-delay.ts";

/** Measures a row and stops everything that it started. A failure becomes the note of the results. */
export async function runRow(
  row: Row,
  options: { readonly quick: boolean; readonly store: "etcd" | "embedded" },
): Promise<readonly Result[]> {
  const results = (values: Readonly<Record<string, number>>, note: string, stallMs?: number): readonly Result[] =>
    row.measures.map((measure) => ({
      measure,
      value: values[measure.id],
      note,
      ...(stallMs === undefined ? {} : { stallMs }),
    }));
  if (row.unavailable !== undefined) return results({}, `skipped: ${row.unavailable}`);
  const deferred: (() => Promise<void> | void)[] = [];
  const notes: string[] = [];
  const watched: TestApiServer[] = [];
  try {
    const values = await row.run({
      ...options,
      note: (text) => void notes.push(text),
      defer: (work) => void deferred.push(work),
      async startServer(store = options.store, flags: readonly string[] = []): Promise<TestApiServer> {
        const server = await startBenchServer(store, { flags });
        deferred.push(() => server.stop());
        if (row.idle !== true) {
          // Resets the figure: stalls of the start do not count.
          await longestStallMs(server);
          watched.push(server);
        }
        return server;
      },
    });
    const stalls = await Promise.all(watched.map(longestStallMs));
    return results(values, notes.join("; "), stalls.length === 0 ? undefined : Math.max(...stalls));
  } catch (error) {
    return results({}, `failed: ${messageOf(error)}`);
  } finally {
    for (const work of deferred.reverse()) await work();
  }
}
