import { setTimeout as sleep } from "node:timers/promises";
import type { core } from "@orchernetes/api";
import { type ApiObject, isExpired, type Stored } from "@orchernetes/apimachinery";
import type { Client, ResourceClient, ResourceRef } from "@orchernetes/client";
import { daemonSets, deployments, jobs, pods, replicaSets, statefulSets } from "../api/resources.ts";
import type { Facts } from "../facts/facts.ts";
import {
  daemonSetFacts,
  deploymentFacts,
  jobFacts,
  podFacts,
  replicaSetFacts,
  statefulSetFacts,
} from "../facts/facts-of.ts";
import type { ControllerHistory, Gap, ObjectEvent } from "../history/history.ts";

/** Pause before a new connection after an error. */
const RECONNECT_MS = 50;

/** The options of {@link Recorder}. */
export interface RecorderOptions {
  readonly client: Client;
  /** The number of nodes. */
  readonly nodes: number;
  /** Called for every pod of any namespace that was created, changed or removed. */
  onPod(pod: Stored<core.Pod>, deleted: boolean): void;
}

/**
 * Records every version of the pods of a namespace and of their owners, by one watch for each resource. A watch that breaks is resumed; if
 * the server no longer has the events since, for example after a restart, the resource is listed again, and the history has a gap.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  #namespace = "";
  #events: ObjectEvent[] = [];
  #gaps: Gap[] = [];

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Follows all resources until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { nodes } = this.#options;
    await Promise.all([
      this.#follow(pods, podFacts, signal, this.#options.onPod),
      this.#follow(replicaSets, replicaSetFacts, signal),
      this.#follow(deployments, deploymentFacts, signal),
      this.#follow(statefulSets, statefulSetFacts, signal),
      this.#follow(daemonSets, (set) => daemonSetFacts(set, nodes), signal),
      this.#follow(jobs, jobFacts, signal),
    ]);
  }

  /** Starts a history of the objects in a namespace. */
  begin(namespace: string): void {
    this.#namespace = namespace;
    this.#events = [];
    this.#gaps = [];
  }

  /** What was recorded since {@link Recorder.begin}. */
  history(): ControllerHistory {
    return { events: [...this.#events], gaps: [...this.#gaps] };
  }

  async #follow<T extends ApiObject>(
    ref: ResourceRef<T>,
    factsOf: (object: Stored<T>) => Facts,
    signal: AbortSignal,
    onObject: (object: Stored<T>, deleted: boolean) => void = () => undefined,
  ): Promise<void> {
    const resource = this.#options.client.resource(ref);
    const known = new Map<string, Stored<T>>();
    const put = (object: Stored<T>, deleted: boolean, revision: string): void => {
      if (deleted) known.delete(object.metadata.uid);
      else known.set(object.metadata.uid, object);
      if (object.metadata.namespace === this.#namespace) this.#record(factsOf(object), deleted, Number(revision));
      onObject(object, deleted);
    };
    let seen: string | undefined;
    let last = 0;
    while (!signal.aborted) {
      try {
        if (seen === undefined) {
          seen = await listAgain(resource, known, put, signal);
          if (last > 0) this.#gaps.push({ after: last, until: Number(seen) });
        }
        const options = { resourceVersion: seen, allowWatchBookmarks: true, signal };
        for await (const event of resource.watch(options)) {
          const { resourceVersion } = event.object.metadata;
          if (event.type !== "BOOKMARK") put(event.object, event.type === "DELETED", resourceVersion);
          seen = resourceVersion;
          last = Number(seen);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isExpired(error)) seen = undefined;
        await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #record(object: Facts, deleted: boolean, revision: number): void {
    this.#events.push({ revision, atMs: performance.now(), deleted, object });
  }
}

/** Lists a resource, and puts what differs from what is known. Resolves with the revision of the list. */
async function listAgain<T extends ApiObject>(
  resource: ResourceClient<T>,
  known: ReadonlyMap<string, Stored<T>>,
  put: (object: Stored<T>, deleted: boolean, revision: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const { items, metadata } = await resource.list({ signal });
  const revision = metadata.resourceVersion ?? "";
  const listed = new Set(items.map((item) => item.metadata.uid));
  for (const [uid, object] of [...known]) if (!listed.has(uid)) put(object, true, revision);
  for (const item of items) {
    const { uid, resourceVersion } = item.metadata;
    if (known.get(uid)?.metadata.resourceVersion !== resourceVersion) put(item, false, resourceVersion);
  }
  return revision;
}
