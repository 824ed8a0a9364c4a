import type { WebhookPhase } from "../interfaces/index.ts";

/** How long a request waited for admission webhooks, in milliseconds. */
export class WebhookTimes {
  /** They are called one after the other: the sum. */
  mutatingMs = 0;
  /** They are called at the same time: the longest one. */
  validatingMs = 0;

  add(phase: WebhookPhase, elapsedMs: number): void {
    if (phase === "mutating") this.mutatingMs += elapsedMs;
    else this.validatingMs = Math.max(this.validatingMs, elapsedMs);
  }
}
