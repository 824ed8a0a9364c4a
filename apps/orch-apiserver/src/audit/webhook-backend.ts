import type { AuditEvent } from "@orchernetes/apiserver";
import type { AuditBackend } from "./backend.ts";

/** Posts JSON to the webhook, with retries. */
export interface EventPoster {
  /** Resolves when the webhook has accepted the text. Rejects after the last attempt. */
  post(json: string): Promise<void>;
  /** Closes idle connections. */
  close(): void;
}

/** The backend that sends events as an EventList of audit.o8s.io/v1. */
export function createWebhookBackend(client: EventPoster): AuditBackend {
  const inFlight = new Set<Promise<void>>();
  return {
    name: "webhook",
    async deliver(events) {
      const posted = client.post(eventList(events));
      inFlight.add(posted);
      try {
        await posted;
      } finally {
        inFlight.delete(posted);
      }
    },
    async close() {
      await Promise.allSettled(inFlight);
      client.close();
    },
  };
}

const eventList = (events: readonly AuditEvent[]): string =>
  `{"kind":"EventList","apiVersion":"audit.o8s.io/v1","metadata":{},"items":[${events.map(({ itemJson }) => itemJson).join(",")}]}`;
