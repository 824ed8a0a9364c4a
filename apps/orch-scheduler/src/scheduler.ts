import { core } from "@orchernetes/api";
import { formatTime, isConflict, isNotFound, keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Client, type EventRecorder, type Informer, referenceTo } from "@orchernetes/client";
import type { Logger } from "@orchernetes/component";
import { NodeTable } from "./cache/node-table.ts";
import { type PodInfo, podInfo } from "./cache/pod-info.ts";
import { nodeChange, podChangeMayHelp } from "./cluster-events.ts";
import { ClusterEvent } from "./framework/interfaces.ts";
import type { Profile } from "./framework/profile.ts";
import { schedulePod, type Verdict } from "./framework/schedule-pod.ts";
import type { SchedulerMetrics } from "./metrics.ts";
import type { QueuedPod, SchedulingQueue } from "./queue/scheduling-queue.ts";

/** What a scheduler works with. */
export interface SchedulerOptions {
  readonly client: Client;
  /** Pods that are not finished, and all nodes. */
  readonly pods: Informer<core.Pod>;
  readonly nodes: Informer<core.Node>;
  readonly profiles: readonly Profile[];
  readonly queue: SchedulingQueue;
  readonly recorder: EventRecorder;
  readonly metrics: SchedulerMetrics;
  readonly logger: Logger;
  /** Bindings under way at once. @default 100 */
  readonly maxBindings?: number;
  /** [0, 1). @default Math.random */
  readonly random?: () => number;
  /** Wall clock. @default () => new Date() */
  readonly now?: () => Date;
}

/** After this much work in one go the event loop gets its turn. */
const SLICE_MS = 5;

/**
 * Finds nodes for pods. Decisions are made one at a time on one state of the cluster; what was decided is assumed at once and
 * bound in the background, so that the next decision counts with it. A binding that fails takes its assumption back.
 */
export class Scheduler {
  readonly #options: Required<SchedulerOptions>;
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #nodes = new NodeTable();
  /** Pods decided but not yet seen bound, with the node they are counted on. */
  readonly #assumed = new Map<string, string>();
  #bindings = 0;
  #bindingDone: (() => void) | undefined;
  #start = 0;

  constructor(options: SchedulerOptions) {
    this.#options = { maxBindings: 100, random: Math.random, now: () => new Date(), ...options };
    this.#profiles = new Map(options.profiles.map((profile) => [profile.schedulerName, profile]));
    this.#follow();
  }

  /** Schedules until the signal aborts. The informers must run. */
  async run(signal: AbortSignal): Promise<void> {
    const { queue, pods, nodes } = this.#options;
    await Promise.all([pods.waitForSync(signal), nodes.waitForSync(signal)]);
    const flush = setInterval(() => queue.flushUnschedulable(), 30_000);
    flush.unref();
    try {
      let sliceStart = performance.now();
      while (!signal.aborted) {
        const queued = queue.pop();
        if (queued === undefined) {
          await queue.wait(signal);
          sliceStart = performance.now();
          continue;
        }
        this.#scheduleOne(queued);
        while (this.#bindings >= this.#options.maxBindings && !signal.aborted) await this.#nextBinding(signal);
        if (performance.now() - sliceStart > SLICE_MS) {
          await new Promise((resolve) => setImmediate(resolve));
          sliceStart = performance.now();
        }
      }
    } finally {
      clearInterval(flush);
    }
  }

  #follow(): void {
    const { nodes, pods, queue } = this.#options;
    nodes.addHandler({
      onAdd: (node) => {
        this.#nodes.setNode(node);
        queue.moveAll(ClusterEvent.NodeAdded);
      },
      onUpdate: (old, node) => {
        const events = nodeChange(old, node);
        // Heartbeats change nothing that matters here.
        if (events === 0) return;
        this.#nodes.setNode(node);
        queue.moveAll(events);
      },
      onDelete: (node) => this.#nodes.removeNode(node.metadata.name),
    });
    pods.addHandler({
      onAdd: (pod) => this.#podAdded(pod),
      onUpdate: (old, pod) => this.#podUpdated(old, pod),
      onDelete: (pod) => this.#podDeleted(pod),
    });
  }

  #wants(pod: core.Pod): boolean {
    return (
      this.#profiles.has(pod.spec.schedulerName ?? "") &&
      !pod.metadata.deletionTimestamp &&
      !pod.spec.schedulingGates?.length
    );
  }

  #podAdded(pod: Stored<core.Pod>): void {
    const { queue } = this.#options;
    if (pod.spec.nodeName) {
      this.#placed(pod, pod.spec.nodeName);
      queue.moveAll(ClusterEvent.PodAdded);
    } else if (this.#wants(pod)) queue.add(podInfo(pod));
  }

  #podUpdated(old: Stored<core.Pod>, pod: Stored<core.Pod>): void {
    const { queue } = this.#options;
    if (pod.spec.nodeName) {
      // A pod's requests cannot change once it is bound, so status updates cost nothing here.
      if (!old.spec.nodeName) this.#placed(pod, pod.spec.nodeName);
      return;
    }
    const key = keyOf(pod);
    if (!this.#wants(pod)) queue.delete(key);
    else if (!this.#assumed.has(key)) queue.update(podInfo(pod), podChangeMayHelp(old, pod));
  }

  #podDeleted(pod: Stored<core.Pod>): void {
    const { queue } = this.#options;
    const key = keyOf(pod);
    queue.delete(key);
    const node = pod.spec.nodeName || this.#assumed.get(key);
    this.#assumed.delete(key);
    if (!node) return;
    this.#nodes.removePod(node, key);
    queue.moveAll(ClusterEvent.PodDeleted);
  }

  /** A pod is bound, by this scheduler or someone else. */
  #placed(pod: Stored<core.Pod>, nodeName: string): void {
    const key = keyOf(pod);
    const assumedOn = this.#assumed.get(key);
    if (assumedOn !== undefined && assumedOn !== nodeName) this.#nodes.removePod(assumedOn, key);
    this.#assumed.delete(key);
    this.#options.queue.delete(key);
    this.#nodes.addPod(nodeName, podInfo(pod));
  }

  #scheduleOne(queued: QueuedPod): void {
    const { queue, metrics, random, logger } = this.#options;
    const { info } = queued;
    const profile = this.#profiles.get(info.pod.spec.schedulerName ?? "");
    if (profile === undefined) {
      queue.done(queued);
      return;
    }
    const started = performance.now();
    const movesBefore = queue.moveCount;
    const verdict = schedulePod(info, this.#nodes, profile, this.#start, random);
    switch (verdict.type) {
      case "unschedulable":
        metrics.attempt("unschedulable", profile.schedulerName, (performance.now() - started) / 1000);
        this.#reportUnschedulable(info, verdict);
        queue.fail(queued, verdict.events, movesBefore);
        return;
      case "node": {
        this.#start = this.#nodes.length === 0 ? 0 : (this.#start + verdict.evaluated) % this.#nodes.length;
        const node = this.#nodes.nameOf(verdict.slot);
        logger
          .v(4)
          ?.info("Found a node", { pod: info.key, node, evaluated: verdict.evaluated, feasible: verdict.feasible });
        this.#nodes.addPod(node, info);
        this.#assumed.set(info.key, node);
        this.#bindings++;
        void this.#bind(queued, node, profile, started).finally(() => {
          this.#bindings--;
          this.#bindingDone?.();
        });
      }
    }
  }

  async #bind(queued: QueuedPod, node: string, profile: Profile, started: number): Promise<void> {
    const { client, queue, recorder, metrics, logger } = this.#options;
    const { info } = queued;
    const { namespace = "", name, uid } = info.pod.metadata;
    const elapsed = () => (performance.now() - started) / 1000;
    try {
      await client.request({
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(name)}/binding`,
        body: {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name, namespace, uid },
          target: { apiVersion: "v1", kind: "Node", name: node },
        },
      });
      metrics.attempt("scheduled", profile.schedulerName, elapsed());
      metrics.scheduled(queued.attempts);
      queue.done(queued);
      recorder.event(
        referenceTo(core.pods, info.pod),
        "Normal",
        "Scheduled",
        `Successfully assigned ${info.key} to ${node}`,
        { action: "Binding" },
      );
    } catch (error) {
      this.#forget(info, node);
      metrics.attempt("error", profile.schedulerName, elapsed());
      // A pod that is gone, or that somebody else has placed, needs no second attempt: its event tells.
      if (isNotFound(error)) {
        queue.done(queued);
        return;
      }
      logger.error(error, "Binding failed", { pod: info.key, node });
      if (!isConflict(error))
        recorder.event(
          referenceTo(core.pods, info.pod),
          "Warning",
          "FailedScheduling",
          `binding rejected: ${error instanceof Error ? error.message : String(error)}`,
          { action: "Scheduling" },
        );
      queue.failTransient(queued);
    }
  }

  #forget(info: PodInfo, node: string): void {
    // An event may have confirmed (or corrected) the assumption while the answer was on its way.
    if (this.#assumed.get(info.key) !== node) return;
    this.#assumed.delete(info.key);
    this.#nodes.removePod(node, info.key);
    this.#options.queue.moveAll(ClusterEvent.PodDeleted);
  }

  #reportUnschedulable(info: PodInfo, verdict: Verdict & { readonly type: "unschedulable" }): void {
    const { client, recorder, logger, now } = this.#options;
    const { pod } = info;
    recorder.event(referenceTo(core.pods, pod), "Warning", "FailedScheduling", verdict.message, {
      action: "Scheduling",
    });
    const present = pod.status.conditions?.find((c) => c.type === "PodScheduled");
    if (present?.status === "False" && present.reason === "Unschedulable" && present.message === verdict.message)
      return;
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: verdict.message,
      lastProbeTime: null,
      lastTransitionTime: present?.status === "False" ? present.lastTransitionTime : formatTime(now()),
    };
    const { namespace = "", name } = pod.metadata;
    client
      .request({
        method: "PATCH",
        path: `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(name)}/status`,
        contentType: "application/strategic-merge-patch+json",
        body: { status: { conditions: [condition] } },
      })
      .catch((error: unknown) => {
        if (!isNotFound(error)) logger.error(error, "Writing the PodScheduled condition failed", { pod: info.key });
      });
  }

  #nextBinding(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener("abort", done);
        this.#bindingDone = undefined;
        resolve();
      };
      this.#bindingDone = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }
}
