import type { ContainerEventResponse } from "../v1/services.ts";

/** Passes each event to the listeners present when it happens. */
export interface ContainerEvents {
  /** Passes an event to all listeners. */
  publish(event: ContainerEventResponse): void;
  /**
   * Events from now on, until the signal aborts. The stream of a listener that is 1000 events behind ends: it can
   * list containers and subscribe again, while an unlimited backlog would exhaust memory.
   */
  subscribe(signal: AbortSignal): AsyncIterable<ContainerEventResponse>;
}

const maxBacklog = 1000;

/** Creates an event hub without listeners. */
export function createContainerEvents(): ContainerEvents {
  const listeners = new Set<(event: ContainerEventResponse) => void>();
  return {
    publish(event) {
      for (const listener of listeners) listener(event);
    },
    async *subscribe(signal) {
      const backlog: ContainerEventResponse[] = [];
      let wake = () => {};
      const listener = (event: ContainerEventResponse) => {
        backlog.push(event);
        wake();
      };
      const aborted = () => wake();
      listeners.add(listener);
      signal.addEventListener("abort", aborted);
      try {
        while (!signal.aborted) {
          const event = backlog.shift();
          if (event !== undefined) yield event;
          else {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
          if (backlog.length > maxBacklog) return;
        }
      } finally {
        listeners.delete(listener);
        signal.removeEventListener("abort", aborted);
      }
    },
  };
}
