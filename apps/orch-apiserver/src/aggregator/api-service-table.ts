import { apiregistration } from "@orchernetes/api";
import type { GroupVersion, GroupVersionRank, Registry } from "@orchernetes/apiserver";
import { isConditionTrue } from "@orchernetes/component-helpers";
import { apiRegistrationGroup, defaultRank } from "./group-ranks.ts";

type APIService = apiregistration.APIService;

/** An APIService that names a service, to which its requests are forwarded. */
export interface RemoteApiService {
  readonly apiService: APIService;
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
}

/** Returns the name of the APIService of a group version, such as `v1.apps`. */
export const apiServiceName = ({ group, version }: GroupVersion): string => `${version}.${group}`;

/** Whether condition `Available` is true. */
export function isAvailable(apiService: APIService | undefined): boolean {
  return isConditionTrue(apiService?.status.conditions, "Available");
}

/** Returns the service of an APIService; undefined if it names none, or is for the group of APIServices itself, which is always local. */
export function asRemote(apiService: APIService): RemoteApiService | undefined {
  const { group = "", version = "", service } = apiService.spec;
  if (service === undefined || group === apiRegistrationGroup) return undefined;
  const { namespace = "", name = "", port = 443 } = service;
  return { apiService, name: apiService.metadata.name ?? "", group, version, service: { namespace, name, port } };
}

/** All APIServices, and those of them whose requests are forwarded. Every request asks this table, so its look-ups are cheap. */
export class ApiServiceTable {
  readonly #all = new Map<string, APIService>();
  readonly #remote = new Map<string, RemoteApiService>();
  readonly #listeners: ((name: string) => void)[] = [];
  readonly #synced = Promise.withResolvers<void>();
  /** Increases with each change. */
  generation = 0;

  /** Calls `listener` with the name of each APIService that is added, changed or deleted. */
  onChange(listener: (name: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Follows the stored APIServices. Resolves when all are known. */
  follow(registry: Registry, signal: AbortSignal): Promise<void> {
    const onEvent = (event: { readonly type: string; readonly name: string; readonly object: APIService }): void => {
      if (event.type === "DELETED") this.#delete(event.name);
      else this.#set(event.name, event.object);
      this.generation++;
      for (const listener of this.#listeners) listener(event.name);
    };
    registry
      .forDefinition(apiregistration.apiServices)
      .follow({ onEvent, onSynced: () => this.#synced.resolve() }, signal);
    return this.#synced.promise;
  }

  /** Resolves when all stored APIServices are known. */
  synced(): Promise<void> {
    return this.#synced.promise;
  }

  get(name: string): APIService | undefined {
    return this.#all.get(name);
  }

  all(): Iterable<readonly [string, APIService]> {
    return this.#all;
  }

  /** The APIServices whose requests are forwarded. */
  remotes(): Iterable<RemoteApiService> {
    return this.#remote.values();
  }

  remoteNamed(name: string): RemoteApiService | undefined {
    return this.#remote.get(name);
  }

  /** Returns the APIService to which requests for a group version are forwarded. It is called for every request; usually there is none. */
  remote(group: string, version: string): RemoteApiService | undefined {
    return this.#remote.size === 0 ? undefined : this.#remote.get(`${version}.${group}`);
  }

  /** Returns the rank of a group version in discovery: that of its APIService, or the default. */
  rank(group: string, version: string): GroupVersionRank {
    const spec = this.#all.get(apiServiceName({ group, version }))?.spec;
    if (spec === undefined) return defaultRank(group, version);
    return { group: spec.groupPriorityMinimum, version: spec.versionPriority };
  }

  #set(name: string, apiService: APIService): void {
    this.#all.set(name, apiService);
    const remote = asRemote(apiService);
    if (remote === undefined) this.#remote.delete(name);
    else this.#remote.set(name, remote);
  }

  #delete(name: string): void {
    this.#all.delete(name);
    this.#remote.delete(name);
  }
}
