import { setTimeout as sleep } from "node:timers/promises";
import type { core } from "@orchernetes/api";
import { controllerOf, type Stored } from "@orchernetes/apimachinery";
import { type Client, resourcePath } from "@orchernetes/client";
import { pods } from "../api/resources.ts";
import { targetOf } from "../facts/facts-of.ts";

type Pod = Stored<core.Pod>;

/** The annotation of templates with the share of their pods that fail, between 0 and 1. Only pods of Jobs end by themselves. */
export const FAILURES_ANNOTATION = "robustness/failures";

/** Pause before a step that failed is tried again. */
const RETRY_MS = 200;
/** The longest time that a pod stays in a state, in milliseconds. */
const LONGEST_MS = { unbound: 60, pending: 250, running: 600, terminating: 300 } as const;
/** The end of a failed pod is this long ago, so that a Job creates the next one at once. */
const LONG_AGO_MS = 3_600_000;

/** The options of {@link PodRunner}. */
export interface PodRunnerOptions {
  readonly client: Client;
  /** The nodes to which pods are bound. */
  readonly nodes: readonly string[];
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

type State = keyof typeof LONGEST_MS | "done";

/**
 * Stands in for the scheduler and the nodes: binds pods, makes them run and be ready, lets those of Jobs succeed or fail, and removes
 * those that are being deleted, each step after a random time. Every write names the version that it is about, so that a pod that a
 * controller has deleted does not succeed afterwards.
 */
export class PodRunner {
  readonly #options: PodRunnerOptions;
  readonly #pods = new Map<string, Pod>();
  readonly #working = new Set<string>();

  constructor(options: PodRunnerOptions) {
    this.#options = options;
  }

  /** Takes note of a version of a pod, and works on the pod until it has nothing to do. */
  observe(pod: Pod, deleted: boolean): void {
    const { uid } = pod.metadata;
    if (deleted) this.#pods.delete(uid);
    else this.#pods.set(uid, pod);
    if (deleted || this.#working.has(uid) || stateOf(pod) === "done") return;
    this.#working.add(uid);
    void this.#work(uid);
  }

  async #work(uid: string): Promise<void> {
    const { random, signal } = this.#options;
    for (let pod = this.#pods.get(uid); pod !== undefined && !signal.aborted; pod = this.#pods.get(uid)) {
      const state = stateOf(pod);
      if (state === "done") break;
      await sleep(random() * LONGEST_MS[state], undefined, { signal }).catch(() => undefined);
      const current = this.#pods.get(uid);
      if (current === undefined || stateOf(current) !== state) continue;
      // After a conflict the next version follows by the watch; everything else is worth another attempt, too.
      const done = await this.#step(state, current).then(
        () => true,
        () => false,
      );
      if (done) await this.#settled(uid, current);
      else await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
    this.#working.delete(uid);
  }

  /** Waits until the watch has shown what a step wrote, but not forever. */
  async #settled(uid: string, { metadata }: Pod): Promise<void> {
    for (let waitedMs = 0; waitedMs < 1000 && !this.#options.signal.aborted; waitedMs += 5) {
      if (this.#pods.get(uid)?.metadata.resourceVersion !== metadata.resourceVersion) return;
      await sleep(5);
    }
  }

  async #step(state: Exclude<State, "done">, pod: Pod): Promise<void> {
    const { client, nodes, random } = this.#options;
    const { name, namespace = "", uid } = pod.metadata;
    switch (state) {
      case "terminating":
        await client
          .resource(pods)
          .namespace(namespace)
          .delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
        return;
      case "unbound": {
        const node = targetOf(pod.spec) ?? nodes[Math.floor(random() * nodes.length)];
        const target = { apiVersion: "v1", kind: "Node", name: node };
        const body = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid }, target };
        await client.request({ method: "POST", path: resourcePath(pods, namespace, name, "binding"), body });
        return;
      }
      case "pending":
        return this.#report(pod, "Running");
      case "running": {
        const share = Number(pod.metadata.annotations?.[FAILURES_ANNOTATION] ?? 0);
        return this.#report(pod, random() < share ? "Failed" : "Succeeded");
      }
    }
  }

  /** Writes the status of a pod. */
  async #report(pod: Pod, phase: "Running" | "Succeeded" | "Failed"): Promise<void> {
    const { name, namespace = "", uid, resourceVersion } = pod.metadata;
    const now = new Date().toISOString();
    const ended = phase === "Running" ? undefined : { exitCode: phase === "Failed" ? 1 : 0, finishedAt: endOf(phase) };
    const status = {
      phase,
      conditions: [{ type: "Ready", status: phase === "Running" ? "True" : "False", lastTransitionTime: now }],
      containerStatuses: pod.spec.containers.map((container) => ({
        name: container.name,
        image: container.image ?? "",
        imageID: "",
        ready: ended === undefined,
        restartCount: 0,
        state: ended === undefined ? { running: { startedAt: now } } : { terminated: ended },
      })),
    };
    const patch = { metadata: { uid, resourceVersion }, status };
    await this.#options.client.resource(pods).namespace(namespace).patch(name, patch, { subresource: "status" });
  }
}

const endOf = (phase: "Succeeded" | "Failed"): string =>
  new Date(Date.now() - (phase === "Failed" ? LONG_AGO_MS : 0)).toISOString();

/** What a pod waits for. */
function stateOf({ metadata, spec, status }: Pod): State {
  if (metadata.deletionTimestamp !== undefined) {
    // With a grace period of 0, finalizers keep it, or the server ended before it could remove it: then it is asked again.
    const isKept = (metadata.finalizers ?? []).length > 0;
    return metadata.deletionGracePeriodSeconds === 0 && isKept ? "done" : "terminating";
  }
  const { phase = "Pending" } = status ?? {};
  if (phase === "Succeeded" || phase === "Failed") return "done";
  if (!spec.nodeName) return "unbound";
  if (phase === "Pending") return "pending";
  const ends = controllerOf({ metadata })?.kind === "Job";
  return ends ? "running" : "done";
}
