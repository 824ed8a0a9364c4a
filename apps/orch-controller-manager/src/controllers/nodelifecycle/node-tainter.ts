import type { core } from "@orchernetes/api";
import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { Client, Lister } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";
import { nodes as nodesRef } from "../../shared/refs.ts";
import { EvictionQueue } from "./eviction-queue.ts";
import type { Node } from "./node-health.ts";
import { evictionTaint, withEvictionTaint } from "./taints.ts";
import { zoneOf } from "./zones.ts";

/** Computes the desired taints of a node; undefined if the node has them. */
export type TaintChange = (node: Node) => readonly core.Taint[] | undefined;

/** Maximum number of attempts to write taints, which conflict with status updates of the agent. */
const maxTries = 5;

/** Writes the taints of nodes. Taints that evict pods are written at the rates of their zones. */
export class NodeTainter {
  readonly #client: Client;
  readonly #nodes: Lister<core.Node>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #queue: EvictionQueue;
  #wake: () => void = () => undefined;

  constructor(options: {
    readonly client: Client;
    readonly nodes: Lister<core.Node>;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#client = options.client;
    this.#nodes = options.nodes;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#queue = new EvictionQueue(options.clock);
  }

  setRates(rates: ReadonlyMap<string, number>): void {
    this.#queue.setRates(rates);
    this.#wake();
  }

  forget(name: string): void {
    this.#queue.remove(name);
  }

  /** Changes a node's taints. A deleted node is skipped; a node that changed meanwhile is read again. */
  async change(node: Node, change: TaintChange): Promise<void> {
    const { name, uid } = node.metadata;
    const resource = this.#client.resource(nodesRef);
    let latest = node;
    for (let tries = 1; ; tries++) {
      const taints = change(latest);
      if (taints === undefined) return;
      try {
        // The resource version prevents overwriting concurrent changes of the list.
        const { resourceVersion } = latest.metadata;
        await resource.patch(name, { metadata: { uid, resourceVersion }, spec: { taints } });
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || tries >= maxTries) throw error;
        latest = await resource.get(name);
        if (latest.metadata.uid !== uid) return;
      }
    }
  }

  /** Removes the eviction taints, and the node from the queue. */
  async spare(node: Node): Promise<void> {
    this.#queue.remove(node.metadata.name);
    await this.change(node, (latest) => withEvictionTaint(latest, undefined, this.#clock.now()));
  }

  /** Adds the eviction taint for the node's condition; at once if it replaces another eviction taint. */
  async sync(node: Node): Promise<void> {
    const key = evictionTaint(node);
    if (key === undefined) return this.spare(node);
    if (withEvictionTaint(node, key, this.#clock.now()) === undefined) return;
    const spared = withEvictionTaint(node, undefined, this.#clock.now());
    if (spared !== undefined) return this.change(node, this.#wanted);
    this.#queue.add(zoneOf(node), node.metadata.name);
    this.#wake();
  }

  /** Taints queued nodes at the rates of their zones until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const due = this.#queue.take();
      await Promise.all(due.map((name) => this.#taint(name, signal)));
      if (due.length > 0 || signal.aborted) continue;
      await this.#nextTurn(signal);
    }
  }

  readonly #wanted: TaintChange = (node) => withEvictionTaint(node, evictionTaint(node), this.#clock.now());

  async #taint(name: string, signal: AbortSignal): Promise<void> {
    const node = this.#nodes.get("", name);
    if (node === undefined) return;
    try {
      await this.change(node, this.#wanted);
    } catch (error) {
      // The next pass queues it again.
      if (!signal.aborted) this.#logger.error(error, "Tainting a node failed", { node: name });
    }
  }

  #nextTurn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const dueInMs = this.#queue.dueInMs();
      const timer = dueInMs === undefined ? undefined : this.#clock.setTimeout(() => this.#wake(), dueInMs);
      const wake = (): void => {
        this.#wake = () => undefined;
        timer?.clear();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}
