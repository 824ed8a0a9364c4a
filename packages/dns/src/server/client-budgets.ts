import type { Clock } from "@orchernetes/kernel";

interface Budget {
  tokens: number;
  refilledAtMs: number;
}

/**
 * Limits how much work each client causes: a bucket of tokens for each, of which a question takes one, and more if its
 * answer is large. Beyond `maxClients` clients, the one that asked longest ago is forgotten: addresses may be forged.
 */
export class ClientBudgets {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #maxClients: number;
  /** In the order of their last questions. */
  readonly #budgets = new Map<string, Budget>();

  constructor(options: {
    readonly clock: Clock;
    readonly perSecond: number;
    readonly burst: number;
    /** @default 10,000 */
    readonly maxClients?: number;
  }) {
    this.#clock = options.clock;
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#maxClients = options.maxClients ?? 10_000;
  }

  /** Takes a token for a question; false if the client has none left. */
  enter(client: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const budget = this.#budgets.get(client) ?? { tokens: this.#burst, refilledAtMs: nowMs };
    const earned = ((nowMs - budget.refilledAtMs) * this.#perSecond) / 1000;
    budget.tokens = Math.min(this.#burst, budget.tokens + earned);
    budget.refilledAtMs = nowMs;
    this.#budgets.delete(client);
    this.#budgets.set(client, budget);
    if (this.#budgets.size > this.#maxClients) this.#forgetOldest();
    if (budget.tokens < 1) return false;
    budget.tokens -= 1;
    return true;
  }

  /** Takes further tokens, also those that the client does not have yet. */
  charge(client: string, tokens: number): void {
    const budget = this.#budgets.get(client);
    if (budget !== undefined) budget.tokens -= tokens;
  }

  #forgetOldest(): void {
    for (const client of this.#budgets.keys()) {
      this.#budgets.delete(client);
      return;
    }
  }
}
