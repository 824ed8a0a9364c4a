import { apiregistration } from "@orchernetes/api";
import type { GroupVersion, GroupVersionRank, Registry } from "@orchernetes/apiserver";
import { isConditionTrue } from "@orchernetes/component-helpers";
import { apiRegistrationGroup, defaultRank } from "./group-ranks.ts";

type APIService = apiregistration.APIService;

/** An APIService that names a service, so that requests go there. */
export interface RemoteApiService {
  readonly apiService: APIService;
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
}

/** Name of the APIService of a group version. */
export const apiServiceName = ({ group, version }: GroupVersion): string => `${version}.${group}`;

/** Whether a condition says that requests can be answered. */
export function isAvailable(apiService: APIService | undefined): boolean {
  return isConditionTrue(apiService?.status.conditions, "Available");
}

/** What an APIService says of another server; undefined when it names none, or is of the group of APIServices itself. */
export function asRemote(apiService: APIService): RemoteApiService | undefined {
  const { group = "", version = "", service } = apiService.spec;
  if (service === undefined || group === apiRegistrationGroup) return undefined;
  const { namespace = "", name = "", port = 443 } = service;
  return { apiService, name: apiService.metadata.name ?? "", group, version, service: { namespace, name, port } };
}

/** Every APIService there is, and which of them lead elsewhere. Follows the store. */
export class ApiServiceTable {
  readonly #all = new Map<string, APIService>();
  readonly #remote = new Map<string, RemoteApiService>();
  readonly #listeners: ((name: string) => void)[] = [];
  readonly #synced = Promise.withResolvers<void>();
  /** Counts changes. */
  generation = 0;

  /** Calls `listener` with the name of each APIService that is added, changed or deleted. */
  onChange(listener: (name: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Follows what is stored. Resolves when all of it is known. */
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

  /** Resolves when everything stored is known. */
  synced(): Promise<void> {
    return this.#synced.promise;
  }

  get(name: string): APIService | undefined {
    return this.#all.get(name);
  }

  all(): Iterable<readonly [string, APIService]> {
    return this.#all;
  }

  /** Those that lead elsewhere. */
  remotes(): Iterable<RemoteApiService> {
    return this.#remote.values();
  }

  remoteNamed(name: string): RemoteApiService | undefined {
    return this.#remote.get(name);
  }

  /** Called for every request: nearly always there is none. */
  remote(group: string, version: string): RemoteApiService | undefined {
    return this.#remote.size === 0 ? undefined : this.#remote.get(`${version}.${group}`);
  }

  /** As the APIService says, else as it is built in. */
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
