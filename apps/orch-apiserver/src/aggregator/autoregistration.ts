import { setTimeout as sleep } from "node:timers/promises";
import { apiregistration } from "@orchernetes/api";
import { isAlreadyExists, isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { GroupVersion, Registry } from "@orchernetes/apiserver";
import type { Check } from "@orchernetes/component";
import { type ApiServiceTable, apiServiceName, isAvailable } from "./api-service-table.ts";
import { decideAutoregistration, localApiService } from "./autoregistration-decision.ts";
import type { CustomGroupVersions } from "./custom-group-versions.ts";
import { apiRegistrationGroup } from "./group-ranks.ts";

/** Delay before a failed registration is retried, in milliseconds. */
const retryMs = 1000;

/** Options of {@link Autoregistration}. */
export interface AutoregistrationOptions {
  readonly table: ApiServiceTable;
  /** The group versions of built-in resources. */
  readonly builtIn: () => readonly GroupVersion[];
  readonly custom: CustomGroupVersions;
  readonly onError: (error: unknown, name: string) => void;
}

/** Keeps an APIService for every group version that this server serves itself (upstream's `autoRegisterController`). */
export class Autoregistration {
  readonly #options: AutoregistrationOptions;
  readonly #desired = new Map<string, apiregistration.APIService>();
  readonly #atStart = new Set<string>();
  readonly #synced = new Set<string>();
  /** APIServices that are being synced; true means that they changed meanwhile and must be synced again. */
  readonly #working = new Map<string, boolean>();
  #registry: Registry | undefined;
  #signal: AbortSignal | undefined;

  constructor(options: AutoregistrationOptions) {
    this.#options = options;
  }

  /** Syncs all APIServices once, and then after each change, until `signal` aborts. Resolves after the first sync. */
  async run(registry: Registry, signal: AbortSignal): Promise<void> {
    const { table, custom, builtIn } = this.#options;
    this.#registry = registry;
    this.#signal = signal;
    await table.synced();
    // Before all custom resources are known, their registrations would look stale and be deleted.
    await custom.follow(registry, signal, () => this.#customChanged());
    for (const target of builtIn())
      if (target.group !== apiRegistrationGroup)
        this.#desired.set(apiServiceName(target), localApiService(target, "onstart"));
    this.#addCustom();
    for (const [name] of table.all()) this.#atStart.add(name);
    const names = new Set([...this.#desired.keys(), ...this.#atStart]);
    await Promise.all([...names].map((name) => this.#sync(name)));
    table.onChange((name) => this.#enqueue(name));
    // APIServices that were added during the first sync.
    for (const [name] of table.all()) if (!names.has(name)) this.#enqueue(name);
  }

  /** `autoregister-completion`: whether every group version that is built in is registered and available. */
  completion(): Check {
    return {
      name: "autoregister-completion",
      livezGrace: true,
      check: () => {
        const { builtIn, table } = this.#options;
        const missing = builtIn()
          .filter(({ group }) => group !== apiRegistrationGroup)
          .map(apiServiceName)
          .filter((name) => !this.#synced.has(name) && !isAvailable(table.get(name)));
        if (missing.length > 0) throw new Error(`missing APIService: [${missing.sort().join(" ")}]`);
      },
    };
  }

  #addCustom(): void {
    for (const target of this.#options.custom.groupVersions()) {
      const name = apiServiceName(target);
      if (!this.#desired.has(name)) this.#desired.set(name, localApiService(target, "true"));
    }
  }

  #customChanged(): void {
    const wanted = new Set(this.#options.custom.groupVersions().map(apiServiceName));
    const before = new Set(this.#desired.keys());
    const own = new Set(this.#options.builtIn().map(apiServiceName));
    for (const name of before) {
      if (wanted.has(name) || own.has(name)) continue;
      this.#desired.delete(name);
      this.#enqueue(name);
    }
    this.#addCustom();
    for (const name of this.#desired.keys()) if (!before.has(name)) this.#enqueue(name);
  }

  /** Syncs an APIService. It is synced again if it changes meanwhile, and a second later after a failure. */
  #enqueue(name: string): void {
    if (this.#working.has(name)) {
      this.#working.set(name, true);
      return;
    }
    this.#working.set(name, false);
    void this.#work(name);
  }

  async #work(name: string): Promise<void> {
    const signal = this.#signal;
    while (signal !== undefined && !signal.aborted) {
      this.#working.set(name, false);
      try {
        await this.#sync(name);
        if (this.#working.get(name) !== true) break;
      } catch (error) {
        if (signal.aborted) break;
        this.#options.onError(error, name);
        await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    this.#working.delete(name);
  }

  async #sync(name: string): Promise<void> {
    const current = this.#options.table.get(name);
    const action = decideAutoregistration({
      desired: this.#desired.get(name),
      current,
      presentAtStart: this.#atStart.has(name),
      synced: this.#synced.has(name),
    });
    const store = this.#registry?.forDefinition(apiregistration.apiServices);
    const ref = { namespace: "", name };
    try {
      if (action.type === "create") await store?.create(action.object);
      else if (action.type === "update")
        await store?.update(ref, (draft) => {
          draft.spec = structuredClone(action.spec);
        });
      else if (action.type === "delete") {
        const { uid } = current?.metadata ?? {};
        await store?.delete(ref, uid === undefined ? {} : { preconditions: { uid } });
      }
    } catch (error) {
      // Another server has made a change in the meantime. Its event leads to another sync.
      if (!isAlreadyExists(error) && !isNotFound(error) && !(action.type === "delete" && isConflict(error)))
        throw error;
    }
    this.#synced.add(name);
  }
}
