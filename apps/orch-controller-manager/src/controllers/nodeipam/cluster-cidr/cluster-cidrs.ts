import type { core } from "@orchernetes/api";
import type { ClusterCIDR } from "@orchernetes/api/networking/v1alpha1";
import { isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { type Informer, referenceTo } from "@orchernetes/client";
import { follow, inOrder, type WorkQueue } from "@orchernetes/controller";
import type { ManagerShell } from "../../../shared/define-controller.ts";
import { clusterCIDRs as clusterCidrsRef } from "../../../shared/refs.ts";
import type { CidrSetMetrics } from "../ranges/cidr-set.ts";
import type { ClusterRange } from "../ranges/network.ts";
import type { NodeRanges } from "../ranges/node-ranges.ts";
import { type ClusterCidrPool, poolOf, poolsFor } from "./cluster-cidr-pool.ts";
import { defaultClusterCidr, defaultName } from "./default-cluster-cidr.ts";
import { type ClusterCidrAction, type ClusterCidrState, reconcile } from "./reconcile.ts";

/** What the ClusterCIDRs need beside the shell. */
export interface ClusterCidrsOptions {
  readonly ranges: NodeRanges;
  readonly metrics: CidrSetMetrics;
  /** The ranges of the object that is created if it does not exist. */
  readonly defaults: readonly ClusterRange[];
  /** Called when there are new ranges. */
  readonly opened: () => void;
}

/** Makes pools of ClusterCIDR objects (KEP-2593). */
export class ClusterCidrs {
  readonly #shell: ManagerShell;
  readonly #options: ClusterCidrsOptions;
  readonly #objects: Informer<ClusterCIDR>;
  readonly #queue: WorkQueue;
  readonly #pools = new Map<string, ClusterCidrPool>();

  constructor(shell: ManagerShell, options: ClusterCidrsOptions) {
    this.#shell = shell;
    this.#options = options;
    this.#queue = shell.queue("multi_cidr_range_allocator_clustercidrs");
    this.#objects = shell.informer(clusterCidrsRef);
    follow(this.#objects, this.#queue);
    this.#objects.addHandler({ onDelete: ({ metadata: { name } }) => this.#forget(name) });
    const { client } = shell.context;
    shell.loop({
      queue: this.#queue,
      workers: 1,
      maxRetries: 15,
      gather: (name): ClusterCidrState | undefined => {
        const object = this.#objects.lister.get("", name);
        return object && { object, isUsed: options.ranges.isUsed(name) };
      },
      reconcile,
      carryOut: inOrder<ClusterCidrAction, ClusterCidrState>({
        Open: (_, { object }) => this.#open(object),
        Close: (_, { object }) => {
          const pool = this.#pools.get(object.metadata.name);
          if (pool !== undefined) pool.isOpen = false;
        },
        async SetFinalizers({ finalizers }, { object }) {
          const written = { ...object, metadata: { ...object.metadata, finalizers } };
          await client
            .resource(clusterCidrsRef)
            .update(written)
            .catch((error: unknown) => {
              if (!isNotFound(error)) throw error;
            });
        },
      }),
    });
  }

  /** Opens the pools of all objects. Creates the default object unless it exists. To be called before nodes get ranges. */
  async prepare(): Promise<void> {
    for (const object of this.#objects.lister.list()) this.#open(object);
    if (this.#pools.has(defaultName) || this.#objects.lister.get("", defaultName) !== undefined) return;
    const { client } = this.#shell.context;
    try {
      this.#open(await client.resource(clusterCidrsRef).create(defaultClusterCidr(this.#options.defaults)));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** The pools of which a node may have ranges; those that give none any more are last. */
  poolsOf(node: Stored<core.Node>): readonly ClusterCidrPool[] {
    return poolsFor(node, this.#pools.values());
  }

  /** Looks again whether objects that are to be deleted are still in use. */
  released(): void {
    for (const [name, { isOpen }] of this.#pools) if (!isOpen) this.#queue.add(name);
  }

  #open(object: Stored<ClusterCIDR>): void {
    const { name } = object.metadata;
    if (this.#pools.has(name)) return;
    try {
      const pool = poolOf(object, this.#options.metrics);
      this.#pools.set(name, pool);
      this.#options.ranges.addPool(pool);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const about = referenceTo(clusterCidrsRef, object);
      this.#shell.context.recorder.event(about, "Warning", "InvalidClusterCIDR", error.message);
      return;
    }
    this.#options.opened();
  }

  #forget(name: string): void {
    this.#pools.delete(name);
    this.#options.ranges.removePool(name);
  }
}
