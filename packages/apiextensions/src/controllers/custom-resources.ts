import type { apiextensions } from "@orchernetes/api";
import { isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Registry, ResourceStore } from "@orchernetes/apiserver";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { ConversionWebhooks } from "../conversion/webhook-converter.ts";
import { isConditionTrue, setCondition } from "../definition/conditions.ts";
import { customResourceDefinitions } from "../resource/custom-resource-definitions.ts";
import type { RuleOptions } from "../rules/rule-tree.ts";
import { cleanUp, needsCleanup } from "./finalizing.ts";
import { CustomResourceServing } from "./serving.ts";
import { updateStatus } from "./status.ts";

type Definition = apiextensions.CustomResourceDefinition;

export interface CustomResourcesOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How conversion webhooks are called. */
  readonly webhooks: ConversionWebhooks;
  /** About the rules in schemas. @default they are evaluated, and not measured */
  readonly rules?: RuleOptions;
  /**
   * How long a definition is served before it says so. Where several servers share a store, all of them should serve it by then.
   *
   * @default 0
   */
  readonly establishDelayMs?: number;
  /** Stops the controllers. */
  readonly signal: AbortSignal;
}

/** The running controllers of custom resources. */
export interface CustomResources {
  /** Resolves when all definitions that were stored at the start are served. */
  readonly synced: Promise<void>;
}

/** Delay after an error, for example of the store. */
const retryMs = 1000;
/** Objects with finalizers are looked at again after this, and then twice as long each time up to the longest delay. */
const firstCleanupMs = 100;
const longestCleanupMs = 5000;

/**
 * Follows the definitions of custom resources and does what they ask for: decides on their names, serves their resources, says
 * so in their status, and removes their objects before they go.
 *
 * Several servers may do so side by side, without a lease: each needs the resources in its own registry, and a status that another one
 * has written already is not written again.
 */
export function startCustomResources(options: CustomResourcesOptions): CustomResources {
  return new CustomResourceController(options).start();
}

class CustomResourceController {
  readonly #options: CustomResourcesOptions;
  readonly #store: ResourceStore<Definition>;
  readonly #serving: CustomResourceServing;
  readonly #known = new Map<string, Stored<Definition>>();
  /** Names to work on. Events for a name that waits already add nothing. */
  readonly #queue = new Set<string>();
  /** When a definition that is to be established may be, by name. */
  readonly #establishAt = new Map<string, number>();
  readonly #cleanupMs = new Map<string, number>();
  #running = false;
  #listed = false;
  #resolveSynced: () => void = () => {};

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
    this.#store = options.registry.forDefinition(customResourceDefinitions);
    this.#serving = new CustomResourceServing(options);
  }

  start(): CustomResources {
    const synced = new Promise<void>((resolve) => {
      this.#resolveSynced = resolve;
    });
    this.#store.follow(
      {
        onEvent: ({ type, name, object }) => {
          if (type === "DELETED") this.#forget(name);
          else this.#note(object);
          this.#enqueue(name);
        },
        onSynced: () => {
          this.#listed = true;
          this.#run();
        },
      },
      this.#options.signal,
    );
    return { synced };
  }

  /** Events may arrive after the answer to an own update that is newer; the older one must not win. */
  #note(object: Stored<Definition>): void {
    const { name } = object.metadata;
    const known = this.#known.get(name);
    const newer =
      known === undefined || BigInt(known.metadata.resourceVersion) <= BigInt(object.metadata.resourceVersion);
    if (newer) this.#known.set(name, object);
  }

  #forget(name: string): void {
    const gone = this.#known.get(name);
    this.#known.delete(name);
    this.#establishAt.delete(name);
    this.#cleanupMs.delete(name);
    // Other definitions may use its names now.
    for (const other of this.#known.values()) {
      if (other.spec.group === gone?.spec.group && !isConditionTrue(other, "NamesAccepted"))
        this.#enqueue(other.metadata.name);
    }
  }

  #enqueue(name: string): void {
    this.#queue.add(name);
    if (this.#listed) this.#run();
  }

  #later(name: string, delayMs: number): void {
    this.#options.clock.setTimeout(() => this.#enqueue(name), delayMs).unref();
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#work().finally(() => {
      this.#running = false;
      if (this.#queue.size > 0 && !this.#options.signal.aborted) this.#run();
      else this.#resolveSynced();
    });
  }

  /** One definition after the other: two workers must not accept the same name. */
  async #work(): Promise<void> {
    const { signal, logger } = this.#options;
    for (const name of this.#queue) {
      if (signal.aborted) return;
      this.#queue.delete(name);
      try {
        await this.#sync(name);
      } catch (error) {
        if (signal.aborted) return;
        if (isNotFound(error)) continue;
        logger.warn("Working on a custom resource definition failed; it is tried again", { name, err: String(error) });
        this.#later(name, retryMs);
      }
    }
  }

  /** Brings one definition up to date. Status first: a definition is served only with names that it has for certain. */
  async #sync(name: string): Promise<void> {
    const known = this.#known.get(name);
    if (known === undefined) {
      this.#serving.remove(name);
      return;
    }
    const definition = await this.#decide(known);
    this.#serving.apply(definition);
    if (needsCleanup(definition)) await this.#cleanUp(definition);
    else await this.#establish(definition);
  }

  /** Updates names and conditions. The decision is tried on a copy first: in most cases nothing changes, and no request is sent. */
  async #decide(known: Stored<Definition>): Promise<Stored<Definition>> {
    const group = [...this.#known.values()].filter(({ spec }) => spec.group === known.spec.group);
    const now = this.#options.clock.now();
    if (!updateStatus(structuredClone(known) as never, group, now)) return known;
    return this.#update(known, (draft) => updateStatus(draft as never, group, now));
  }

  /**
   * Sets Established once the definition is served. Clients create objects as soon as they see it; with several servers, the delay gives
   * the others the time to serve the resource too, since the next request may reach any of them.
   */
  async #establish(definition: Stored<Definition>): Promise<void> {
    const { name } = definition.metadata;
    if (isConditionTrue(definition, "Established") || !isConditionTrue(definition, "NamesAccepted")) return;
    const { clock, establishDelayMs = 0 } = this.#options;
    const at = this.#establishAt.get(name) ?? clock.nowMs() + establishDelayMs;
    if (at > clock.nowMs()) {
      this.#establishAt.set(name, at);
      this.#later(name, at - clock.nowMs());
      return;
    }
    this.#establishAt.delete(name);
    await this.#update(definition, (draft, current) => {
      if (isConditionTrue(current, "Established") || !isConditionTrue(current, "NamesAccepted")) return false;
      setCondition(
        draft as never,
        {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
        clock.now(),
      );
      return true;
    });
  }

  /** Deletes the objects of a definition. As long as some are left, it is called again with growing delays: they wait for other controllers. */
  async #cleanUp(definition: Stored<Definition>): Promise<void> {
    const { name } = definition.metadata;
    const { clock } = this.#options;
    const done = await cleanUp(definition, {
      definitions: this.#store,
      objects: this.#serving.storeOf(name),
      now: () => clock.now(),
    });
    if (done) return;
    const delayMs = this.#cleanupMs.get(name) ?? firstCleanupMs;
    this.#cleanupMs.set(name, Math.min(delayMs * 2, longestCleanupMs));
    this.#later(name, delayMs);
  }

  async #update(
    { metadata }: Stored<Definition>,
    change: Parameters<ResourceStore<Definition>["update"]>[1],
  ): Promise<Stored<Definition>> {
    const ref = { namespace: "", name: metadata.name };
    const updated = await this.#store.update(ref, change, { subresource: "status", uid: metadata.uid });
    this.#note(updated);
    return updated;
  }
}
