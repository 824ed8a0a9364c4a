import type { core } from "@orchernetes/api";
import { isNotFound, type Stored } from "@orchernetes/apimachinery";
import { type Informer, referenceTo } from "@orchernetes/client";
import { inOrder, noPlan, type Plan, type WorkQueue } from "@orchernetes/controller";
import type { ManagerShell } from "../../shared/define-controller.ts";
import { nodes as nodesRef } from "../../shared/refs.ts";
import type { NodeRanges, Pool } from "./ranges/node-ranges.ts";

type Node = Stored<core.Node>;

/** A step of the controller. */
type Assign = { readonly type: "Assign" };

/** Gives ranges to a node that has none and will stay. Pure. */
function reconcile({ metadata, spec }: Node): Plan<Assign> {
  if (rangesOf({ spec }).length > 0 || metadata.deletionTimestamp !== undefined) return noPlan;
  return { actions: [{ type: "Assign" }] };
}

const rangesOf = ({ spec }: Pick<Node, "spec">): readonly string[] =>
  spec?.podCIDRs?.length ? spec.podCIDRs : spec?.podCIDR ? [spec.podCIDR] : [];

/** Number of updates of nodes that are under way at once, as in the original. */
const workers = 30;
/** A failure is reported with the third attempt: conflicts and short outages are not worth an event. */
const attemptsBeforeEvent = 3;

/** What the allocator needs beside the shell. */
export interface NodeAllocatorOptions {
  /** Name of its queue in metrics. */
  readonly queueName: string;
  readonly ranges: NodeRanges;
  /** The pools that a node may have ranges from, in the order of preference. */
  readonly poolsFor: (node: Node) => readonly Pool[];
  /** Called when a node does not use its ranges any more. */
  readonly released: () => void;
}

/**
 * Gives every node its ranges. The ranges that nodes have are recorded when events arrive, not when their keys are worked on, so
 * that no other node gets them in the meantime.
 */
export class NodeAllocator {
  readonly #shell: ManagerShell;
  readonly #options: NodeAllocatorOptions;
  readonly #nodes: Informer<core.Node>;
  readonly #queue: WorkQueue;
  /** Nodes for which there was no range. */
  readonly #waiting = new Set<string>();

  constructor(shell: ManagerShell, options: NodeAllocatorOptions) {
    this.#shell = shell;
    this.#options = options;
    this.#queue = shell.queue(options.queueName);
    this.#nodes = shell.informer(nodesRef);
    this.#nodes.addHandler({
      onAdd: (node) => this.#seen(node),
      onUpdate: (old, node) => {
        // Most updates are heartbeats.
        if (rangesOf(old).join() !== rangesOf(node).join() || rangesOf(node).length === 0) this.#seen(node);
      },
      onDelete: ({ metadata: { name } }) => {
        this.#waiting.delete(name);
        options.ranges.release(name);
        options.released();
        this.wake();
      },
    });
    shell.loop({
      queue: this.#queue,
      workers,
      gather: (name): Node | undefined => this.#nodes.lister.get("", name),
      reconcile,
      carryOut: inOrder<Assign, Node>({ Assign: (_, node) => this.#assign(node) }),
    });
  }

  /** Records the ranges of all nodes once more, after pools have been added. */
  occupyAll(): void {
    for (const node of this.#nodes.lister.list()) if (rangesOf(node).length > 0) this.#seen(node);
  }

  /** Lets the nodes that wait for a range try again. */
  wake(): void {
    for (const name of this.#waiting) this.#queue.add(name);
  }

  #seen(node: Node): void {
    const { name } = node.metadata;
    const cidrs = rangesOf(node);
    if (cidrs.length === 0) {
      this.#queue.add(name);
      return;
    }
    this.#waiting.delete(name);
    const { ranges, poolsFor } = this.#options;
    // Once there are pools, occupyAll catches up.
    if (ranges.isEmpty) return;
    const foreign = ranges.occupy(name, cidrs, poolsFor(node));
    if (foreign.length === 0) return;
    const problem = new Error(`ranges of the node lie outside of those of the cluster: ${foreign.join(", ")}`);
    this.#shell.context.logger.error(problem, "Ignored the ranges of a node", { node: name });
  }

  async #assign(node: Node): Promise<void> {
    const { client, logger, signal } = this.#shell.context;
    const { name, uid } = node.metadata;
    const cidrs = this.#options.ranges.allocate(name, this.#options.poolsFor(node));
    if (cidrs === undefined) {
      this.#waiting.add(name);
      this.#report(node, "CIDRNotAvailable");
      logger.error(new Error("no range is free"), "Cannot give a range to a node", { node: name });
      return;
    }
    this.#waiting.delete(name);
    const [podCIDR] = cidrs;
    try {
      // A new node of the same name may be there by now, to which this range was not given.
      await client
        .resource(nodesRef)
        .patch(name, { metadata: { uid }, spec: { podCIDR, podCIDRs: cidrs } }, { signal });
      logger.info("Set the ranges of a node", { node: name, cidrs });
    } catch (error) {
      if (isNotFound(error)) return;
      // The range stays reserved for the node: the write may have succeeded.
      if (this.#queue.retries(name) + 1 >= attemptsBeforeEvent) this.#report(node, "CIDRAssignmentFailed");
      throw error;
    }
  }

  #report(node: Node, status: "CIDRAssignmentFailed" | "CIDRNotAvailable"): void {
    const { name } = node.metadata;
    const about = referenceTo(nodesRef, node);
    this.#shell.context.recorder.event(about, "Normal", status, `Node ${name} status is now: ${status}`);
  }
}
