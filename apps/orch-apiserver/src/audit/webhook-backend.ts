import type { AuditEvent } from "@orchernetes/apiserver";
import type { AuditBackend } from "./backend.ts";

/** Sends JSON to a service. */
export interface EventPoster {
  /** Resolves when the service has taken the text. Rejects after the last attempt. */
  post(json: string): Promise<void>;
  close(): void;
}

/** Sends events as an EventList. */
export function createWebhookBackend(client: EventPoster): AuditBackend {
  const underWay = new Set<Promise<void>>();
  return {
    name: "webhook",
    async deliver(events) {
      const posted = client.post(eventList(events));
      underWay.add(posted);
      try {
        await posted;
      } finally {
        underWay.delete(posted);
      }
    },
    async close() {
      await Promise.allSettled(underWay);
      client.close();
    },
  };
}

const eventList = (events: readonly AuditEvent[]): string =>
  `{"kind":"EventList","apiVersion":"audit.o8s.io/v1","metadata":{},"items":[${events.map(({ itemJson }) => itemJson).join(",")}]}`;
