import { core } from "@orchernetes/api";
import { isAlreadyExists, isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import type { Clock, Timer } from "@orchernetes/kernel";
import type { BootstrapContext, PostStartHook } from "../post-start/hooks.ts";

const ref = { namespace: "orch-system", name: "orch-apiserver-legacy-service-account-token-tracking" };

/** Servers that have it on and off side by side would make and delete the object in turns: it is made no more often than this. */
const CREATE_PERIOD_MS = 30 * 60_000;
const RETRY_MS = 1000;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const isDay = (text: string | undefined): boolean =>
  text !== undefined &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  dayOf(Date.parse(text)) === text;

/**
 * Maintains the ConfigMap whose `since` is the day from which on all servers record the use of tokens that are kept in secrets; while
 * the feature is off there is none (gate LegacyServiceAccountTokenTracking, KEP-2799).
 */
export function legacyTokenTracking(options: { readonly enabled: boolean; readonly clock: Clock }): PostStartHook {
  return {
    name: "start-legacy-token-tracking-controller",
    async run(context) {
      new Tracking(options.enabled, options.clock, context).start();
    },
  };
}

class Tracking {
  readonly #enabled: boolean;
  readonly #clock: Clock;
  readonly #registry: Registry;
  readonly #signal: AbortSignal;
  readonly #logger: BootstrapContext["logger"];
  #createdMs = Number.NEGATIVE_INFINITY;
  #syncing = false;
  #again = false;
  #timer: Timer | undefined;

  constructor(enabled: boolean, clock: Clock, { registry, signal, logger }: BootstrapContext) {
    this.#enabled = enabled;
    this.#clock = clock;
    this.#registry = registry;
    this.#signal = signal;
    this.#logger = logger;
  }

  start(): void {
    const sync = () => void this.#sync();
    const onEvent = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => {
      if (name === ref.name && namespace === ref.namespace) sync();
    };
    this.#registry.forDefinition(core.configMaps).follow({ onEvent, onSynced: sync }, this.#signal);
    this.#signal.addEventListener("abort", () => this.#timer?.clear(), { once: true });
  }

  async #sync(): Promise<void> {
    this.#again = true;
    if (this.#syncing) return;
    this.#syncing = true;
    while (this.#again && !this.#signal.aborted) {
      this.#again = false;
      try {
        await this.#reconcile();
      } catch (error) {
        if (this.#signal.aborted) break;
        const message =
          "The ConfigMap of the tracking of legacy tokens could not be brought up to date; it is tried again";
        this.#logger.error(error, message);
        this.#later(RETRY_MS);
      }
    }
    this.#syncing = false;
  }

  #later(delayMs: number): void {
    this.#timer?.clear();
    this.#timer = this.#clock.setTimeout(() => void this.#sync(), delayMs).unref();
  }

  async #reconcile(): Promise<void> {
    const store = this.#registry.forDefinition(core.configMaps);
    const today = dayOf(this.#clock.nowMs());
    let since: string | undefined;
    try {
      since = (await store.get(ref)).data?.since;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (this.#enabled) await this.#create(today);
      return;
    }
    try {
      if (!this.#enabled) await store.delete(ref);
      else if (!isDay(since))
        await store.update(ref, (draft) => {
          draft.data = { ...draft.data, since: today };
        });
    } catch (error) {
      // Another server was faster.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #create(since: string): Promise<void> {
    const now = this.#clock.nowMs();
    const waitMs = this.#createdMs + CREATE_PERIOD_MS - now;
    if (waitMs > 0) {
      this.#later(waitMs);
      return;
    }
    try {
      await this.#registry.forDefinition(core.configMaps).create({ metadata: ref, data: { since } });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    this.#createdMs = now;
  }
}
