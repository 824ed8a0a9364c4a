import { type ApiObject, apiVersionOf, type Stored } from "@orchernetes/apimachinery";
import { createInformer, type Informer } from "@orchernetes/client";
import type { ManagerContext } from "../../shared/define-controller.ts";
import type { DiscoveredResource, DiscoveryResult } from "../../shared/discovery.ts";
import type { Identity, OwnerGraph } from "./graph.ts";
import { groupOf } from "./kind-access.ts";

/** Events are numerous and short-lived, and have no owners. */
const alwaysIgnored = ["/events", "events.o8s.io/events"];

interface Monitor {
  readonly resource: DiscoveredResource;
  readonly informer: Informer<ApiObject>;
  stop(): void;
}

const resourceKey = ({ group, plural }: DiscoveredResource): string => `${group}/${plural}`;

/** Adds the objects of every deletable resource to the graph, and keeps it up to date. */
export class Monitors {
  readonly #context: ManagerContext;
  readonly #graph: OwnerGraph;
  readonly #ignored: ReadonlySet<string>;
  readonly #monitors = new Map<string, Monitor>();

  /** @param ignored `group/resource` of resources that are not watched, in addition to events */
  constructor(context: ManagerContext, graph: OwnerGraph, ignored: readonly string[]) {
    this.#ignored = new Set([...alwaysIgnored, ...ignored]);
    this.#context = context;
    this.#graph = graph;
  }

  /**
   * Starts and stops informers according to the resources that are served. Resources of groups that failed discovery
   * are kept.
   */
  follow({ resources, failures }: DiscoveryResult): void {
    const wanted = new Map(
      resources
        .filter(({ verbs }) => verbs.has("list") && verbs.has("watch") && verbs.has("delete"))
        .map((resource) => [resourceKey(resource), resource]),
    );
    for (const [key, monitor] of this.#monitors) {
      const { group, version, kind } = monitor.resource;
      const unreadable = [...failures.keys()].some((groupVersion) => groupOf(groupVersion) === group);
      if (wanted.get(key)?.version === version || (unreadable && !wanted.has(key))) continue;
      monitor.stop();
      this.#monitors.delete(key);
      if (!wanted.has(key)) this.#graph.forgetKind(apiVersionOf(monitor.resource), kind);
    }
    for (const [key, resource] of wanted) {
      if (!this.#ignored.has(key) && !this.#monitors.has(key)) this.#monitors.set(key, this.#start(resource));
    }
  }

  /** Resolves when all current informers have synced. @throws the signal's reason */
  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#monitors.values()].map(({ informer }) => informer.waitForSync(signal)));
  }

  #start(resource: DiscoveredResource): Monitor {
    const { client, clock, informers, logger, signal } = this.#context;
    const stopping = new AbortController();
    // Reuse the informer of another controller, so that objects are not watched and stored twice.
    const shared = informers.find(resource);
    const informer =
      shared ??
      createInformer<ApiObject>(client, resource, {
        metadataOnly: true,
        transform: ({ metadata }) => ({ metadata: { ...metadata, managedFields: undefined, annotations: undefined } }),
        logger,
        clock,
      });
    const graph = this.#graph;
    const removeHandler = informer.addHandler({
      onAdd: (object) => graph.observe(identityOf(resource, object), object.metadata),
      onUpdate: (_, object) => graph.observe(identityOf(resource, object), object.metadata),
      onDelete: ({ metadata }) => graph.remove(metadata.uid),
    });
    if (shared === undefined) void informer.run(AbortSignal.any([signal, stopping.signal]));
    return {
      resource,
      informer,
      stop() {
        removeHandler();
        stopping.abort();
      },
    };
  }
}

const identityOf = (resource: DiscoveredResource, { metadata }: Stored<ApiObject>): Identity => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  namespace: metadata.namespace ?? "",
  name: metadata.name,
  uid: metadata.uid,
});
