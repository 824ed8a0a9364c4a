import { apiregistration, core } from "@orchernetes/api";
import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { Registry, RemoteResource } from "@orchernetes/apiserver";
import type { Clock } from "@orchernetes/kernel";
import { parseApiResourceList } from "./api-resource-list.ts";
import { type ApiServiceTable, isAvailable, type RemoteApiService } from "./api-service-table.ts";
import { differs, failedDiscovery, local, passed, type Verdict, withVerdict } from "./availability-decision.ts";
import type { ExtensionClient } from "./extension-client.ts";
import { judgeService } from "./judge-service.ts";

const recheckMs = 30_000;
/** After a failed check: the first wait, which doubles up to {@link recheckMs}. */
const firstRetryMs = 5000;
const discoveryTimeoutMs = 5000;
const maxDiscoveryBytes = 4 * 1024 * 1024;
/** One of several endpoints may be down: so many are tried. */
const attempts = 5;

/** The user of discovery requests: every authorizer allows it. */
const checker = { name: "system:orch-aggregator", groups: ["system:masters"], extra: {} };

/** What a server said that it serves. */
export interface Heard {
  readonly resources: readonly RemoteResource[];
  /** Whether it was so at the last check. */
  readonly current: boolean;
}

/** Parts of an {@link AvailabilityController}. */
export interface AvailabilityOptions {
  readonly table: ApiServiceTable;
  readonly client: ExtensionClient;
  readonly clock: Pick<Clock, "now">;
  /** Counts an APIService that became unavailable. */
  readonly onUnavailable: (name: string, reason: string) => void;
  readonly onError: (error: unknown, name: string) => void;
}

/** One APIService under observation. */
interface Observed {
  busy: boolean;
  again: boolean;
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Checks whether the servers of APIServices are available, and writes it into their status: when an APIService, its Service or
 * its Endpoints change, and every 30 s. What a server says that it serves is kept for discovery.
 */
export class AvailabilityController {
  readonly #options: AvailabilityOptions;
  readonly #observed = new Map<string, Observed>();
  readonly #heard = new Map<string, Heard>();
  #registry: Registry | undefined;
  #signal: AbortSignal = AbortSignal.abort();
  #followsServices = false;
  /** Counts changes of what was heard. */
  generation = 0;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** Looks at every APIService from now on, until `signal` aborts. */
  start(registry: Registry, signal: AbortSignal): void {
    if (this.#registry !== undefined) return;
    this.#registry = registry;
    this.#signal = signal;
    const { table } = this.#options;
    table.onChange((name) => this.#look(name));
    for (const [name] of [...table.all()]) this.#look(name);
    signal.addEventListener("abort", () => {
      for (const { timer } of this.#observed.values()) clearTimeout(timer);
    });
  }

  /** What the server of an APIService said that it serves; undefined before it ever did. */
  heard(name: string): Heard | undefined {
    return this.#heard.get(name);
  }

  #look(name: string): void {
    const apiService = this.#options.table.get(name);
    const remote = this.#options.table.remoteNamed(name);
    if (apiService === undefined || (remote === undefined && !differs(apiService, local))) {
      this.#forget(name);
      return;
    }
    const known = this.#observed.get(name);
    const observed = known ?? { busy: false, again: false, failures: 0, timer: undefined };
    if (known === undefined) this.#observed.set(name, observed);
    if (observed.busy) observed.again = true;
    else void this.#work(name, observed);
  }

  #forget(name: string): void {
    clearTimeout(this.#observed.get(name)?.timer);
    this.#observed.delete(name);
    if (this.#heard.delete(name)) this.generation++;
    this.#options.client.connections.forget(name);
  }

  /** Services are not relevant until an APIService refers to one of them. */
  #followServices(): void {
    if (this.#followsServices || this.#registry === undefined) return;
    this.#followsServices = true;
    const onEvent = ({ namespace, name }: { readonly namespace: string; readonly name: string }): void => {
      for (const { service, name: apiService } of this.#options.table.remotes())
        if (service.name === name && service.namespace === namespace) this.#look(apiService);
    };
    this.#registry.forDefinition(core.services).follow({ onEvent }, this.#signal);
    this.#registry.forDefinition(core.endpoints).follow({ onEvent }, this.#signal);
  }

  async #work(name: string, observed: Observed): Promise<void> {
    observed.busy = true;
    clearTimeout(observed.timer);
    let failed = false;
    try {
      do {
        observed.again = false;
        failed = await this.#check(name);
      } while (observed.again && !this.#signal.aborted);
    } catch (error) {
      failed = true;
      if (!this.#signal.aborted) this.#options.onError(error, name);
    }
    observed.busy = false;
    if (this.#options.table.remoteNamed(name) !== undefined) this.#followServices();
    if (this.#signal.aborted || this.#observed.get(name) !== observed) return;
    observed.failures = failed ? observed.failures + 1 : 0;
    if (!failed && this.#options.table.remoteNamed(name) === undefined) return;
    const wait = failed ? Math.min(recheckMs, firstRetryMs * 2 ** (observed.failures - 1)) : recheckMs;
    observed.timer = setTimeout(() => this.#look(name), wait).unref();
  }

  /** Checks one and writes what was found; whether the server did not answer as it should. */
  async #check(name: string): Promise<boolean> {
    const { table } = this.#options;
    const remote = table.remoteNamed(name);
    if (remote === undefined) {
      if (table.get(name) !== undefined) await this.#write(name, local);
      return false;
    }
    const registry = this.#registry;
    if (registry === undefined) return false;
    const verdict = (await judgeService(registry, remote)) ?? (await this.#ask(remote));
    if (verdict !== passed) this.#hear(name, undefined);
    await this.#write(name, verdict);
    return verdict.reason === "FailedDiscoveryCheck";
  }

  /** Requests the server's resources; if it does not respond, tries its other addresses. */
  async #ask(remote: RemoteApiService): Promise<Verdict> {
    try {
      const resources = await this.#discover(remote).catch(() =>
        Promise.any(Array.from({ length: attempts - 1 }, () => this.#discover(remote))),
      );
      this.#hear(remote.name, resources);
      return passed;
    } catch (error) {
      return failedDiscovery(error instanceof AggregateError ? error.errors.at(-1) : error);
    }
  }

  async #discover(remote: RemoteApiService): Promise<readonly RemoteResource[]> {
    const { group, version } = remote;
    const { status, body, url } = await this.#options.client.fetch(remote, {
      path: group === "" ? `/api/${version}` : `/apis/${group}/${version}`,
      as: checker,
      checked: false,
      maxBytes: maxDiscoveryBytes,
      timeoutMs: discoveryTimeoutMs,
      signal: this.#signal,
    });
    if (status < 200 || status >= 300)
      throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
    try {
      return parseApiResourceList(body);
    } catch {
      // It is reachable; what it serves stays unknown to discovery.
      return [];
    }
  }

  #hear(name: string, resources: readonly RemoteResource[] | undefined): void {
    const before = this.#heard.get(name);
    if (resources === undefined && before?.current !== true) return;
    const now = { resources: resources ?? before?.resources ?? [], current: resources !== undefined };
    this.#heard.set(name, now);
    if (JSON.stringify(before) !== JSON.stringify(now)) this.generation++;
  }

  async #write(name: string, verdict: Verdict): Promise<void> {
    const { table, clock, onUnavailable } = this.#options;
    const current = table.get(name);
    if (current === undefined || !differs(current, verdict)) return;
    const store = this.#registry?.forDefinition(apiregistration.apiServices);
    let was = false;
    try {
      await store?.update(
        { namespace: "", name },
        (draft, stored) => {
          if (!differs(stored, verdict)) return false;
          was = isAvailable(stored);
          draft.status.conditions = withVerdict(stored.status.conditions ?? [], verdict, clock.now());
          return true;
        },
        { subresource: "status", ...(current.metadata.uid === undefined ? {} : { uid: current.metadata.uid }) },
      );
      if (was && verdict.status !== "True") onUnavailable(name, verdict.reason);
    } catch (error) {
      // Deleted, or another one of the name: seen when the change arrives.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
