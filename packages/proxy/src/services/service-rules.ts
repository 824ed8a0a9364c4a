import type { core, discovery } from "@orchernetes/api";
import type { NftDifference } from "../nft/difference.ts";
import type { NftTable } from "../nft/table.ts";
import type { IpFamily } from "./addresses.ts";
import { Claims, frontendId } from "./claims.ts";
import { endpointsByPort, endpointsKey } from "./endpoints.ts";
import { FrontendTable } from "./frontend-table.ts";
import { type Frontend, frontendsOf } from "./frontends.ts";
import { type HealthCheck, healthCheckOf } from "./health-checks.ts";
import { servicePorts } from "./service-ports.ts";
import type { NodeFacts, ServiceSettings } from "./settings.ts";
import { type StaleFlows, staleFlows } from "./stale-flows.ts";
import { usableEndpoints } from "./usable-endpoints.ts";

/** What must be done after objects have changed. */
export interface ServiceChange {
  /** For the packet filter; see `renderDifference` and `isEmptyDifference`. */
  readonly difference: NftDifference;
  /**
   * To be deleted from connection tracking when the difference has been loaded. The first change has every UDP frontend: there
   * may be entries from before the daemon started.
   */
  readonly staleFlows: readonly StaleFlows[];
  /** Whether {@link ServiceRules.healthChecks} has changed. */
  readonly haveHealthChecksChanged: boolean;
}

interface ServiceState {
  service: core.Service | undefined;
  readonly slices: Map<string, discovery.EndpointSlice>;
  frontends: ReadonlyMap<string, Frontend>;
}

const serviceNameLabel = "orchernetes.io/service-name";

/**
 * The rules of all services. Objects come in as they change; {@link takeChange} then returns what follows from them, at the cost
 * of the services that have changed. Nothing else happens here: the caller loads the rules.
 *
 * Objects that the rules ignore (headless services, other proxies' services) may be given, too.
 */
export class ServiceRules {
  readonly #settings: ServiceSettings;
  readonly #families: readonly IpFamily[];
  readonly #table: FrontendTable;
  readonly #claims = new Claims();
  readonly #services = new Map<string, ServiceState>();
  /** The service of each slice. */
  readonly #owners = new Map<string, string>();
  readonly #dirty = new Set<string>();
  readonly #healthChecks = new Map<string, HealthCheck>();
  #haveHealthChecksChanged = false;
  #node: NodeFacts;

  /** @throws RangeError if the settings are not valid */
  constructor(settings: ServiceSettings, node: NodeFacts = {}) {
    this.#settings = settings;
    this.#families = settings.families ?? ["IPv4", "IPv6"];
    this.#node = node;
    this.#table = new FrontendTable(settings);
  }

  /** Adds or replaces a service. */
  setService(service: core.Service): void {
    const key = keyOf(service);
    this.#stateOf(key).service = service;
    this.#dirty.add(key);
  }

  deleteService(service: core.Service): void {
    const key = keyOf(service);
    const state = this.#services.get(key);
    if (state === undefined) return;
    state.service = undefined;
    this.#dirty.add(key);
  }

  /** Adds or replaces a slice. Its service may come later. */
  setEndpointSlice(slice: discovery.EndpointSlice): void {
    const key = keyOf(slice);
    const name = slice.metadata.labels?.[serviceNameLabel] ?? "";
    const service = `${slice.metadata.namespace ?? ""}/${name}`;
    if (this.#owners.get(key) !== service) this.deleteEndpointSlice(slice);
    if (name === "") return;
    this.#owners.set(key, service);
    this.#stateOf(service).slices.set(key, slice);
    this.#dirty.add(service);
  }

  deleteEndpointSlice(slice: discovery.EndpointSlice): void {
    const key = keyOf(slice);
    const service = this.#owners.get(key);
    if (service === undefined) return;
    this.#owners.delete(key);
    this.#services.get(service)?.slices.delete(key);
    this.#dirty.add(service);
  }

  /** Replaces what is known of the node. All services are looked at again, if that differs. */
  setNode(node: NodeFacts): void {
    const { zone, addresses = [] } = this.#node;
    const isSame = zone === node.zone && addresses.join() === (node.addresses ?? []).join();
    this.#node = node;
    if (!isSame) for (const key of this.#services.keys()) this.#dirty.add(key);
  }

  /**
   * What has changed since the last call. If loading it fails, the whole {@link table} must be loaded: changes are returned once.
   */
  takeChange(): ServiceChange {
    const stale: StaleFlows[] = [];
    for (const key of this.#dirty) this.#sync(key, stale);
    this.#dirty.clear();
    const haveHealthChecksChanged = this.#haveHealthChecksChanged;
    this.#haveHealthChecksChanged = false;
    return { difference: this.#table.takeDifference(), staleFlows: stale, haveHealthChecksChanged };
  }

  /** The table as of the last change that was taken, for `fullBatch`. It must not be kept: the next change changes it, too. */
  table(): NftTable {
    return this.#table.table();
  }

  /** The ports that tell load balancers whether this node has endpoints, by `namespace/name` of the service. */
  healthChecks(): ReadonlyMap<string, HealthCheck> {
    return this.#healthChecks;
  }

  /** The frontends of all services as of the last change that was taken, for a proxy that is not the packet filter. */
  *frontends(): Generator<Frontend> {
    for (const { frontends } of this.#services.values()) {
      for (const [id, frontend] of frontends) if (this.#claims.winner(id) === frontend) yield frontend;
    }
  }

  #stateOf(key: string): ServiceState {
    const known = this.#services.get(key);
    if (known !== undefined) return known;
    const state: ServiceState = { service: undefined, slices: new Map(), frontends: new Map() };
    this.#services.set(key, state);
    return state;
  }

  #sync(key: string, stale: StaleFlows[]): void {
    const state = this.#services.get(key);
    if (state === undefined) return;
    const after = this.#frontendsOf(state);
    const before = state.frontends;
    state.frontends = after;
    for (const id of before.keys()) if (!after.has(id)) this.#claims.delete(id, key);
    for (const [id, frontend] of after) this.#claims.set(id, key, frontend);
    for (const id of new Set([...before.keys(), ...after.keys()])) this.#show(id, stale);
    this.#setHealthCheck(key, healthCheckOf(state.service, state.slices.values(), this.#settings.nodeName));
    if (state.service === undefined && state.slices.size === 0) this.#services.delete(key);
  }

  #show(id: string, stale: StaleFlows[]): void {
    const after = this.#claims.winner(id);
    const before = this.#table.show(id, after);
    for (const flows of staleFlows(before, after)) stale.push(flows);
  }

  #frontendsOf({ service, slices }: ServiceState): ReadonlyMap<string, Frontend> {
    const found = new Map<string, Frontend>();
    if (service === undefined) return found;
    for (const family of this.#families) {
      const ports = servicePorts(service, family);
      if (ports.length === 0) continue;
      const endpoints = endpointsByPort(slices.values(), family, this.#settings.nodeName);
      for (const port of ports) {
        const candidates = endpoints.get(endpointsKey(port.protocol, port.name)) ?? [];
        const usable = usableEndpoints(candidates, port, this.#node.zone);
        for (const frontend of frontendsOf(port, family, usable, this.#node)) {
          const id = frontendId(frontend);
          if (!found.has(id)) found.set(id, frontend);
        }
      }
    }
    return found;
  }

  #setHealthCheck(key: string, check: HealthCheck | undefined): void {
    const before = this.#healthChecks.get(key);
    if (before?.port === check?.port && before?.localEndpoints === check?.localEndpoints) return;
    this.#haveHealthChecksChanged = true;
    if (check === undefined) this.#healthChecks.delete(key);
    else this.#healthChecks.set(key, check);
  }
}

const keyOf = ({ metadata: { namespace = "", name = "" } }: core.Service | discovery.EndpointSlice): string =>
  `${namespace}/${name}`;
