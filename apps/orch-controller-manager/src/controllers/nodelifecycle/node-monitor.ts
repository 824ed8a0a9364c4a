import type { coordination, core } from "@orchernetes/api";
import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { EventRecorder, Lister } from "@orchernetes/client";
import type { ControllerContext } from "@orchernetes/controller";
import { nodes as nodesRef } from "../../shared/refs.ts";
import { assessNode, type HealthLimits, type Node, type NodeHealth } from "./node-health.ts";
import type { NodeTainter } from "./node-tainter.ts";
import { disruptionOf, type ZoneLimits } from "./zones.ts";

/** Namespace of the nodes' leases. */
const leaseNamespace = "orch-node-lease";

/** The health of nodes, by name. */
export type HealthTable = Map<string, NodeHealth>;

/** Whether the node is known not to be ready. */
export function isKnownUnready(health: ReadonlyMap<string, NodeHealth>, name: string): boolean {
  const status = health.get(name)?.readyStatus;
  return status !== undefined && status !== "True";
}

/** The caches, limits and callbacks of the monitor. */
export interface NodeMonitorOptions {
  /** Updated by the monitor; the controller removes deleted nodes. */
  readonly health: HealthTable;
  readonly context: ControllerContext;
  readonly nodes: Lister<core.Node>;
  readonly leases: Lister<coordination.Lease>;
  readonly tainter: NodeTainter;
  readonly limits: HealthLimits;
  readonly zoneLimits: ZoneLimits;
  /** Called with a node that has become unready, or is unready when it is first seen. */
  readonly onUnready: (name: string) => void;
}

/** Checks periodically which nodes are alive, updates the status of nodes that are not, and sets the eviction rates. */
export class NodeMonitor {
  readonly #options: NodeMonitorOptions;
  #wasFull = false;

  constructor(options: NodeMonitorOptions) {
    this.#options = options;
  }

  /** Checks all nodes. A failure of one node is logged, and retried in the next pass. */
  async checkAll(): Promise<void> {
    const { nodes, tainter, zoneLimits, context } = this.#options;
    const all = nodes.list();
    await this.#forAll(all, (node) => this.#monitor(node));
    const { rates, isFull } = disruptionOf(all, zoneLimits, (node) => this.#isReady(node));
    tainter.setRates(rates);
    if (isFull !== this.#wasFull) {
      this.#wasFull = isFull;
      const { logger, clock } = context;
      logger.warn(isFull ? "No node is ready: evictions stop" : "Some nodes are ready again: evictions resume");
      if (!isFull) this.#restartGracePeriods(clock.now().getTime());
    }
    await this.#forAll(all, (node) => {
      const latest = nodes.get("", node.metadata.name) ?? node;
      return isFull ? tainter.spare(latest) : tainter.sync(latest);
    });
  }

  /** Checks one node, and updates its status if it has stopped reporting. */
  async #monitor(node: Node): Promise<void> {
    const { context, health, leases, limits, onUnready } = this.#options;
    const { client, clock, logger, recorder } = context;
    const { name } = node.metadata;
    const before = health.get(name);
    const verdict = assessNode(node, leases.get(leaseNamespace, name), before, limits, clock.now());
    if (verdict.status !== undefined) {
      logger.info("Node has stopped reporting", { node: name });
      // On failure nothing is recorded, so that the next pass decides again.
      await client.resource(nodesRef).updateStatus({ ...node, status: verdict.status });
    }
    health.set(name, verdict.health);
    if (verdict.becameUnready) {
      recordNodeEvent(recorder, node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    }
    // An earlier process may have ended after the node became unready and before it marked the pods.
    if (verdict.becameUnready || (before === undefined && !this.#isReady(node))) onUnready(name);
  }

  #isReady({ metadata }: Node): boolean {
    return this.#options.health.get(metadata.name)?.readyStatus === "True";
  }

  /** During a full disruption no node could report, so their grace periods start when it ends. */
  #restartGracePeriods(nowMs: number): void {
    const { health } = this.#options;
    for (const [name, of] of health) health.set(name, { ...of, probedMs: nowMs, transitionMs: nowMs });
  }

  async #forAll(all: readonly Node[], work: (node: Node) => Promise<void>): Promise<void> {
    const { logger, signal } = this.#options.context;
    await Promise.all(
      all.map(async (node) => {
        try {
          await work(node);
        } catch (error) {
          if (isNotFound(error) || isConflict(error) || signal.aborted) return;
          logger.error(error, "Monitoring a node failed", { node: node.metadata.name });
        }
      }),
    );
  }
}

/** Records an event about a node. Such events identify nodes by name only, like those of the agents. */
export function recordNodeEvent(recorder: EventRecorder, { metadata }: Node, reason: string, message: string): void {
  recorder.event({ kind: "Node", apiVersion: "v1", name: metadata.name, uid: metadata.uid }, "Normal", reason, message);
}
