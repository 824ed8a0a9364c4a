import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";
import type { AdmissionContext, Registry } from "@orchernetes/apiserver";
import type { Clock } from "@orchernetes/kernel";
import type { MatchCriteria } from "../matching/match-criteria.ts";
import { RuleIndex } from "../matching/rule-index.ts";
import { type Webhook, type WebhookConfiguration, webhooksOf } from "./webhook.ts";

/** A webhook with its position among all webhooks of its kind, which annotations contain. */
export interface PlacedWebhook {
  readonly webhook: Webhook;
  readonly index: number;
  readonly criteria: MatchCriteria;
}

/** Time in milliseconds for which requests wait after the start until the configurations are known, as upstream. */
const READY_TIMEOUT_MS = 10_000;

/** Options of {@link WebhookSource}. */
export interface WebhookSourceOptions<T extends ApiObject & WebhookConfiguration> {
  readonly definition: ResourceDefinition<T>;
  readonly clock: Clock;
  /** Called with all webhooks after each change, before the first call. */
  readonly onChange: (webhooks: readonly Webhook[]) => void;
}

/** The webhooks of all stored configurations of one kind, in the order of the names of the configurations. */
export class WebhookSource<T extends ApiObject & WebhookConfiguration> {
  readonly #options: WebhookSourceOptions<T>;
  readonly #configurations = new Map<string, readonly Webhook[]>();
  readonly #synced = Promise.withResolvers<void>();
  #isSynced = false;
  #index: RuleIndex<PlacedWebhook> | undefined;

  constructor(options: WebhookSourceOptions<T>) {
    this.#options = options;
  }

  /** Follows the configurations. Resolves when all stored ones are known. */
  follow(registry: Registry, signal: AbortSignal): Promise<void> {
    registry.forDefinition(this.#options.definition).follow(
      {
        onEvent: ({ type, name, object }) => {
          if (type === "DELETED") this.#configurations.delete(name);
          else this.#configurations.set(name, webhooksOf(object));
          this.#index = undefined;
        },
        onSynced: () => {
          this.#isSynced = true;
          this.#synced.resolve();
        },
      },
      signal,
    );
    return this.#synced.promise;
  }

  /** The current webhooks; undefined until the stored configurations are known. */
  get current(): RuleIndex<PlacedWebhook> | undefined {
    if (!this.#isSynced) return undefined;
    this.#index ??= this.#rebuild();
    return this.#index;
  }

  /** Waits for up to ten seconds until the stored configurations are known. Returns whether they are. */
  async ready({ signal }: Pick<AdmissionContext, "signal">): Promise<boolean> {
    const late = new AbortController();
    const either = AbortSignal.any([signal, late.signal]);
    const timeout = this.#options.clock.sleep(READY_TIMEOUT_MS, either).catch(() => undefined);
    await Promise.race([this.#synced.promise, timeout]);
    late.abort();
    return this.#isSynced;
  }

  #rebuild(): RuleIndex<PlacedWebhook> {
    const names = [...this.#configurations.keys()].sort();
    const webhooks = names.flatMap((name) => this.#configurations.get(name) ?? []);
    this.#options.onChange(webhooks);
    return new RuleIndex(webhooks.map((webhook, index) => ({ webhook, index, criteria: webhook.criteria })));
  }
}
