import type { AuditEvent } from "@orchernetes/apiserver";
import type { AuditBackend } from "./backend.ts";

/** Sends JSON to a service. */
export interface EventPoster {
  post(path: string, body: unknown): Promise<void>;
  close(): void;
}

/** Sends events as an EventList. */
export function createWebhookBackend(client: EventPoster): AuditBackend {
  const underWay = new Set<Promise<void>>();
  return {
    name: "webhook",
    async deliver(events) {
      const posted = client.post("", eventList(events));
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

function eventList(events: readonly AuditEvent[]): object {
  const items = events.map(({ json }): unknown => JSON.parse(json));
  return { kind: "EventList", apiVersion: "audit.o8s.io/v1", metadata: {}, items };
}
