import { setTimeout as sleep } from "node:timers/promises";
import type { Inspection } from "./inspect.ts";

const categories = ["node", "node.async_hooks", "node.bootstrap", "node.perf", "v8"];

/** Collects trace events of the runtime for a while, as the JSON that chrome://tracing and Perfetto open. */
export function takeTrace(durationMs: number, signal: AbortSignal): Inspection<string> {
  return async (session) => {
    const events: unknown[] = [];
    session.on("NodeTracing.dataCollected", ({ params }) => events.push(...params.value));
    const complete = new Promise<void>((resolve) => session.once("NodeTracing.tracingComplete", () => resolve()));
    await session.post("NodeTracing.start", { traceConfig: { includedCategories: categories } });
    await sleep(durationMs, undefined, { signal }).catch(() => undefined);
    await session.post("NodeTracing.stop");
    await complete;
    return JSON.stringify({ traceEvents: events });
  };
}
