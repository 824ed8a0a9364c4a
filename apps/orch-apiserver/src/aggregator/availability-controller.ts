import { apiregistration, core } from "@orchernetes/api";
import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { Registry, RemoteResource } from "@orchernetes/apiserver";
import type { Clock } from "@orchernetes/kernel";
import { parseApiResourceList } from "./api-resource-list.ts";
import { type ApiServiceTable, isAvailable, type RemoteApiService } from "./api-service-table.ts";
import { differs, failedDiscovery, local, passed, type Verdict, withVerdict } from "./availability-decision.ts";
import type { ExtensionClient } from "./extension-client.ts";
import { judgeService } from "./judge-service.ts";

/** Interval between checks of an available server, in milliseconds, as upstream. */
const recheckMs = 30_000;
/** Delay after the first failed check, in milliseconds. It doubles with each further one, up to {@link recheckMs}. */
const firstRetryMs = 5000;
const discoveryTimeoutMs = 5000;
/** Maximum size of a response, so that another server cannot fill the memory of this one. */
const maxDiscoveryBytes = 4 * 1024 * 1024;
/** Number of attempts of a check, as upstream: one of several endpoints may be down. */
const attempts = 5;

/** The user of discovery requests. As a superuser it is allowed by every authorizer. */
const checker = { name: "system:orch-aggregator", groups: ["system:masters"], extra: {} };

/** The resources that an extension server serves. */
export interface DiscoveredResources {
  readonly resources: readonly RemoteResource[];
  /** Whether the last check confirmed them; otherwise they are those of an earlier one. */
  readonly current: boolean;
}

/** Options of {@link AvailabilityController}. */
export interface AvailabilityOptions {
  readonly table: ApiServiceTable;
  readonly client: ExtensionClient;
  readonly clock: Pick<Clock, "now">;
  /** Counts an APIService that became unavailable. */
  readonly onUnavailable: (name: string, reason: string) => void;
  readonly onError: (error: unknown, name: string) => void;
}

/** The state of the checks of an APIService. */
interface Observed {
  /** Whether a check is running. */
  busy: boolean;
  /** Whether something changed during the check, so that another one must follow. */
  again: boolean;
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Checks whether the servers of APIServices are available, and writes the result into condition `Available`. A check is made when an
 * APIService, its Service or its Endpoints change, and every 30 s. The resources that a server reports are kept for discovery.
 */
export class AvailabilityController {
  readonly #options: AvailabilityOptions;
  readonly #observed = new Map<string, Observed>();
  readonly #discovered = new Map<string, DiscoveredResources>();
  #registry: Registry | undefined;
  #signal: AbortSignal = AbortSignal.abort();
  #followsServices = false;
  /** Increases with each change of the discovered resources. */
  generation = 0;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** Checks every APIService from now on, until `signal` aborts. */
  start(registry: Registry, signal: AbortSignal): void {
    if (this.#registry !== undefined) return;
    this.#registry = registry;
    this.#signal = signal;
    const { table } = this.#options;
    table.onChange((name) => this.#enqueue(name));
    for (const [name] of [...table.all()]) this.#enqueue(name);
    signal.addEventListener("abort", () => {
      for (const { timer } of this.#observed.values()) clearTimeout(timer);
    });
  }

  /** The resources of the server of an APIService; undefined before its first successful check. */
  discovered(name: string): DiscoveredResources | undefined {
    return this.#discovered.get(name);
  }

  #enqueue(name: string): void {
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
    if (this.#discovered.delete(name)) this.generation++;
    this.#options.client.connections.forget(name);
  }

  /** Follows Services and Endpoints. It is called when the first APIService refers to a Service, since most clusters have none. */
  #followServices(): void {
    if (this.#followsServices || this.#registry === undefined) return;
    this.#followsServices = true;
    const onEvent = ({ namespace, name }: { readonly namespace: string; readonly name: string }): void => {
      for (const { service, name: apiService } of this.#options.table.remotes())
        if (service.name === name && service.namespace === namespace) this.#enqueue(apiService);
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
    observed.timer = setTimeout(() => this.#enqueue(name), wait).unref();
  }

  /** Checks an APIService and writes the result. Returns whether the server failed, so that the check is retried soon. */
  async #check(name: string): Promise<boolean> {
    const { table } = this.#options;
    const remote = table.remoteNamed(name);
    if (remote === undefined) {
      if (table.get(name) !== undefined) await this.#write(name, local);
      return false;
    }
    const registry = this.#registry;
    if (registry === undefined) return false;
    const verdict = (await judgeService(registry, remote)) ?? (await this.#checkServer(remote));
    if (verdict !== passed) this.#setDiscovered(name, undefined);
    await this.#write(name, verdict);
    return verdict.reason === "FailedDiscoveryCheck";
  }

  /** Requests the resources of a server. If it does not respond, its other endpoints are tried concurrently. */
  async #checkServer(remote: RemoteApiService): Promise<Verdict> {
    try {
      const resources = await this.#discover(remote).catch(() =>
        Promise.any(Array.from({ length: attempts - 1 }, () => this.#discover(remote))),
      );
      this.#setDiscovered(remote.name, resources);
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
      // The server is available, but discovery cannot list its resources.
      return [];
    }
  }

  #setDiscovered(name: string, resources: readonly RemoteResource[] | undefined): void {
    const before = this.#discovered.get(name);
    if (resources === undefined && before?.current !== true) return;
    const now = { resources: resources ?? before?.resources ?? [], current: resources !== undefined };
    this.#discovered.set(name, now);
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
      // The APIService was deleted or replaced. The event of that change leads to another check.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
