import type { core, discovery } from "@orchernetes/api";
import type { NftDifference } from "../nft/difference.ts";
import type { NftTable } from "../nft/table.ts";
import { affinityNeed, withoutAffinity } from "./affinity/affinity-need.ts";
import { AffinityShares } from "./affinity/affinity-shares.ts";
import { type Claimant, Claims } from "./frontends/claims.ts";
import type { Frontend } from "./frontends/frontends.ts";
import { NodePorts } from "./frontends/node-ports.ts";
import { addressSet, ReservedAddresses } from "./frontends/reserved-addresses.ts";
import { serviceFrontends } from "./frontends/service-frontends.ts";
import { type StaleFlows, staleFlows } from "./frontends/stale-flows.ts";
import type { IpFamily } from "./objects/addresses.ts";
import { type HealthCheck, healthCheckOf } from "./objects/health-checks.ts";
import type { NodeFacts, ServiceSettings } from "./objects/settings.ts";
import type { FoundElements } from "./tables/former-slots.ts";
import { FrontendTable } from "./tables/frontend-table.ts";

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
  /** The services whose {@link ServiceRules.problems} have changed and are not none, by `namespace/name`. To be logged. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

interface ServiceState {
  service: core.Service | undefined;
  readonly slices: Map<string, discovery.EndpointSlice>;
  frontends: ReadonlyMap<string, Frontend>;
}

const serviceNameLabel = "orchernetes.io/service-name";

const noAffinity =
  "its clients have no session affinity, because its namespace, or all namespaces together, would need too many chains";

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
  readonly #affinity = new AffinityShares();
  readonly #reserved: ReservedAddresses;
  readonly #nodePorts = new NodePorts();
  #nodeAddresses: ReadonlySet<string>;
  readonly #problems = new Map<string, readonly string[]>();
  #newProblems = new Map<string, readonly string[]>();
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
    this.#reserved = new ReservedAddresses(settings.reservedAddresses ?? []);
    this.#node = node;
    this.#nodeAddresses = this.#addressesOf(node);
    this.#table = new FrontendTable(settings);
  }

  /**
   * Takes over the slots of endpoints of services with affinity from a former process, so that clients stay where they were. To be called
   * before the first {@link takeChange}.
   *
   * @param maps the maps of the table in the kernel for which `isSlotMap` holds, by name: elements with their values
   */
  adopt(maps: ReadonlyMap<string, FoundElements>): void {
    this.#table.adopt(maps);
  }

  /** Adds or replaces a service. */
  setService(service: core.Service): void {
    const key = keyOf(service);
    this.#stateOf(key).service = service;
    this.#serviceChanged(key, service);
  }

  deleteService(service: core.Service): void {
    const key = keyOf(service);
    const state = this.#services.get(key);
    if (state === undefined) return;
    state.service = undefined;
    this.#serviceChanged(key, undefined);
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
    const { zone, agentPort, addresses = [] } = this.#node;
    const isSame =
      zone === node.zone && agentPort === node.agentPort && addresses.join() === (node.addresses ?? []).join();
    this.#node = node;
    this.#nodeAddresses = this.#addressesOf(node);
    if (!isSame) for (const key of this.#services.keys()) this.#dirty.add(key);
  }

  /**
   * What has changed since the last call. If loading it fails, the whole {@link table} must be loaded: changes are returned once.
   */
  takeChange(): ServiceChange {
    const stale: StaleFlows[] = [];
    for (const key of this.#dirty) this.#sync(key, stale);
    this.#dirty.clear();
    for (const key of this.#affinity.settle()) this.#sync(key, stale);
    const haveHealthChecksChanged = this.#haveHealthChecksChanged;
    this.#haveHealthChecksChanged = false;
    const problems = this.#newProblems;
    this.#newProblems = new Map();
    return { difference: this.#table.takeDifference(), staleFlows: stale, haveHealthChecksChanged, problems };
  }

  /**
   * Takes session affinity from services, those of the namespaces that need most chains for it first, until about half of these
   * chains are left. To be called if the table could not be loaded in time: otherwise it never would be, and no service would change
   * any more. The next change has it. It stays so as long as this object is there.
   *
   * @returns false if there is so little affinity that it cannot be the reason
   */
  reduceAffinity(): boolean {
    return this.#affinity.reduce();
  }

  /**
   * Gives a part of what {@link reduceAffinity} has taken back to services: to be called if the table has been loaded well for a
   * while. It takes effect with the next change.
   *
   * @returns false if there is nothing to give back
   */
  growAffinity(): boolean {
    return this.#affinity.grow();
  }

  /** The table as of the last change that was taken, for `fullBatch`. It must not be kept: the next change changes it, too. */
  table(): NftTable {
    return this.#table.table();
  }

  /** The ports that tell load balancers whether this node has endpoints, by `namespace/name` of the service. */
  healthChecks(): ReadonlyMap<string, HealthCheck> {
    return this.#healthChecks;
  }

  /** What is not served of services, and why, by `namespace/name`: one sentence or more of each. */
  problems(): ReadonlyMap<string, readonly string[]> {
    return this.#problems;
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

  #serviceChanged(key: string, service: core.Service | undefined): void {
    this.#dirty.add(key);
    for (const other of this.#reserved.set(key, service)) this.#dirty.add(other);
    for (const other of this.#nodePorts.set(key, service)) this.#dirty.add(other);
  }

  #addressesOf({ addresses = [] }: NodeFacts): ReadonlySet<string> {
    return addressSet([...addresses, ...(this.#settings.onlyNode?.addresses ?? [])]);
  }

  #sync(key: string, stale: StaleFlows[]): void {
    const state = this.#services.get(key);
    if (state === undefined) return;
    const problems: string[] = [];
    const asked = this.#frontendsOf(state, problems);
    const after = this.#withinAffinity(asked, problems);
    this.#setProblems(key, problems);
    const before = state.frontends;
    state.frontends = after;
    for (const id of before.keys()) if (!after.has(id)) this.#claims.delete(id, key);
    const claimant = claimantOf(key, state.service);
    for (const [id, frontend] of after) this.#claims.set(id, claimant, frontend);
    for (const id of new Set([...before.keys(), ...after.keys()])) this.#show(id, stale);
    this.#affinity.set(
      key,
      affinityNeed(asked, (id) => this.#table.slotsInUse(id)),
    );
    this.#setHealthCheck(key, healthCheckOf(state.service, state.slices.values(), this.#settings.nodeName));
    if (state.service === undefined && state.slices.size === 0) this.#services.delete(key);
  }

  #show(id: string, stale: StaleFlows[]): void {
    const after = this.#claims.winner(id);
    const before = this.#table.show(id, after);
    for (const flows of staleFlows(before, after)) stale.push(flows);
  }

  #withinAffinity(asked: ReadonlyMap<string, Frontend>, problems: string[]): ReadonlyMap<string, Frontend> {
    for (const { namespace, served } of asked.values()) {
      if (served?.affinitySeconds === undefined) continue;
      // All frontends of a service have the same timeout.
      if (!this.#affinity.isRefused({ namespace, seconds: served.affinitySeconds })) return asked;
      problems.push(noAffinity);
      return withoutAffinity(asked);
    }
    return asked;
  }

  #frontendsOf({ service, slices }: ServiceState, problems: string[]): ReadonlyMap<string, Frontend> {
    const { nodeName, topologyHints = true, terminatingEndpoints = true } = this.#settings;
    const context = {
      nodeName,
      families: this.#families,
      node: this.#node,
      endpointRules: {
        zone: topologyHints ? this.#node.zone : undefined,
        usesTerminating: terminatingEndpoints,
      },
      taken: {
        reserved: this.#reserved,
        node: this.#nodeAddresses,
        isNodePort: (owner: string, protocol: string, port: number) =>
          this.#nodePorts.isTaken(owner, protocol, port, this.#node.agentPort),
      },
    };
    const report = (problem: string) => {
      problems.push(problem);
    };
    return service === undefined ? new Map<string, Frontend>() : serviceFrontends(service, slices, context, report);
  }

  #setProblems(key: string, problems: readonly string[]): void {
    const before = this.#problems.get(key) ?? [];
    if (before.join() === problems.join()) return;
    if (problems.length === 0) {
      this.#problems.delete(key);
      this.#newProblems.delete(key);
      return;
    }
    this.#problems.set(key, problems);
    this.#newProblems.set(key, problems);
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

function claimantOf(key: string, service: core.Service | undefined): Claimant {
  const createdAtMs = Date.parse(service?.metadata.creationTimestamp ?? "");
  return { key, createdAtMs: Number.isNaN(createdAtMs) ? Number.POSITIVE_INFINITY : createdAtMs };
}
