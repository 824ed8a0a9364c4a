import type { ContainerEventResponse } from "../v1/services.ts";

/** Hands each event to every listener that is there when it happens. */
export interface ContainerEvents {
  publish(event: ContainerEventResponse): void;
  /** Events from now on, until the signal aborts. A listener that falls 1000 events behind is ended. */
  subscribe(signal: AbortSignal): AsyncIterable<ContainerEventResponse>;
}

const maxBacklog = 1000;

/** Makes an event hub. */
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
