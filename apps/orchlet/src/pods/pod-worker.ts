import type { core } from "@orchernetes/api";
import { assertNever, onAbort } from "@orchernetes/kernel";
import type { PodOperation } from "../metrics/pod-life-metrics.ts";
import type { PodFailure } from "../types/pod-failure.ts";
import { isStaticPod, type PodIdentity, podText } from "../types/pod-identity.ts";
import { next } from "./lifecycle/next.ts";
import { initialState, type Now, type PodState } from "./lifecycle/pod-state.ts";
import { isEffect, type PodEffect, type PodObservation, type PodWorkerAction } from "./lifecycle/transition.ts";
import { performEffect, recordPodEvent } from "./pod-effects.ts";
import type { PodWorkerServices } from "./pod-worker-services.ts";

/**
 * Manages one pod of this node. All changes to a pod are made by its worker, one at a time, so they cannot race. {@link
 * next} decides what to do; the worker holds the state, performs the actions and waits between rounds.
 */
export class PodWorker {
  readonly identity: PodIdentity;
  /** Whether the pod is static, or what is left of an unknown pod, which may have been. */
  readonly mayBeStatic: boolean;
  /**
   * Resolves when nothing of the pod is left, or the agent stops. The result is the pod that should be started next
   * with the same uid, if its source has it again.
   */
  readonly done: Promise<core.Pod | undefined>;
  /** Resolves when the pod has ended, although something of it may be left to remove. */
  readonly stopped: Promise<void>;
  readonly #services: PodWorkerServices;
  readonly #whenStopped = Promise.withResolvers<void>();
  #state: PodState;
  #effect: PodEffect | undefined;
  #error: { readonly error: unknown } | undefined;
  #interrupt = new AbortController();
  #idleSinceMs = Number.POSITIVE_INFINITY;
  #waitMs = 0;
  #operation: PodOperation = "create";
  #endWait: (() => void) | undefined;

  /**
   * Starts managing a pod. Without `pod`, removes the containers of an unknown pod. Stops with the services' signal.
   */
  constructor(identity: PodIdentity, pod: core.Pod | undefined, services: PodWorkerServices) {
    this.identity = identity;
    this.mayBeStatic = pod === undefined || isStaticPod(pod);
    this.#services = services;
    const policy = { syncMs: services.syncMs, crash: services.crashBackoff };
    this.#state = initialState(identity, pod, policy, this.#now());
    this.stopped = this.#whenStopped.promise;
    if (pod !== undefined) services.lives?.added(identity.uid, pod);
    this.done = this.#run();
  }

  /** The pod as its source has it; undefined if the worker only removes the remains of an unknown pod. */
  get pod(): core.Pod | undefined {
    return this.#state.type === "Gone" ? undefined : this.#state.pod;
  }

  /** The status that was computed last. */
  get status(): core.PodStatus | undefined {
    return this.#state.status;
  }

  /** The pod was removed from its source, and terminates. */
  get removed(): boolean {
    const state = this.#state;
    return state.type === "Gone" || ("removed" in state && state.removed);
  }

  /** The pod ends or has ended, for whatever reason. */
  get isEnding(): boolean {
    return this.#state.type !== "Starting" && this.#state.type !== "Syncing";
  }

  /** Nothing of the pod runs, and nothing will. */
  get isOver(): boolean {
    return this.#state.type === "Terminated" || this.#state.type === "Gone";
  }

  /**
   * The pod was evicted to free resources, and nothing of it runs: its containers and logs are removed although the API server still has
   * it.
   */
  get isEvicted(): boolean {
    const { reason = "" } = this.status ?? {};
    return this.isOver && (reason === "Evicted" || reason === "Preempting");
  }

  /** The pod uses no resources of the node any more except for its logs: its volumes and control groups were removed, too. */
  get isReleased(): boolean {
    const state = this.#state;
    return state.type === "Gone" || (state.type === "Terminated" && (state.released || state.cleared));
  }

  /** Passes a new version of the pod from its source. */
  update(pod: core.Pod): void {
    if (this.#operation === "sync") this.#operation = "update";
    this.#observe({ type: "Updated", pod });
  }

  /** Terminates the pod, which its source no longer has. */
  remove(): void {
    this.#observe({ type: "Removed" });
  }

  /** Terminates the pod with phase Failed. */
  fail(failure: PodFailure): void {
    this.#observe({ type: "Failed", failure });
  }

  /** Causes a round, because something about the pod may have changed. */
  wake(): void {
    this.#observe({ type: "Woken" });
  }

  async #run(): Promise<core.Pod | undefined> {
    const { signal } = this.#services;
    while (!this.#isGone() && !signal.aborted) {
      await this.#tracedRound();
      if (!this.#isGone()) await this.#wait();
    }
    return this.#state.type === "Gone" ? this.#state.restart : undefined;
  }

  #isGone(): boolean {
    return this.#state.type === "Gone";
  }

  async #tracedRound(): Promise<void> {
    const { tracer } = this.#services;
    if (tracer === undefined) return this.#round();
    const attributes = { "o8s.pod": podText(this.identity), "o8s.pod.uid": this.identity.uid };
    await tracer
      .request({ headers: {} }, "syncPod", async (span) => {
        span?.set(attributes);
        await this.#round();
        if (this.#error !== undefined) throw this.#error.error;
      })
      // The error was logged in its round.
      .catch(() => undefined);
  }

  /** Performs one round: observes `Due`, then performs effects until an observation causes none. */
  async #round(): Promise<void> {
    const { lives, clock } = this.#services;
    const operation = this.isEnding ? "kill" : this.#operation;
    if (operation === "create") lives?.begun(this.identity.uid);
    this.#operation = "sync";
    const begunMs = clock.monotonicMs();
    await this.#work();
    lives?.worked(operation, (clock.monotonicMs() - begunMs) / 1000);
  }

  async #work(): Promise<void> {
    this.#interrupt = new AbortController();
    this.#error = undefined;
    this.#observeInRound({ type: "Due" });
    const round = { signal: this.#interrupt.signal, idleSinceMs: this.#idleSinceMs };
    // Otherwise, the round of a pod with many containers could delay the end of the agent by minutes.
    while (this.#effect !== undefined && !this.#services.signal.aborted) {
      const effect = this.#effect;
      this.#effect = undefined;
      this.#observeInRound(await performEffect(effect, this.identity, this.#services, round));
    }
    this.#idleSinceMs = this.#services.clock.monotonicMs();
  }

  /** An error in a decision fails the round in the same way as a failed effect: one pod must not stop the agent. */
  #observeInRound(observation: PodObservation): void {
    try {
      this.#observe(observation);
    } catch (error) {
      this.#effect = undefined;
      this.#observe({ type: "EffectFailed", error });
    }
  }

  #observe(observation: PodObservation): void {
    const { state, actions } = next(this.#state, observation, this.#now());
    this.#state = state;
    for (const action of actions) this.#act(action);
    if (state.type === "Terminated" || state.type === "Gone") this.#whenStopped.resolve();
  }

  #act(action: PodWorkerAction): void {
    const { statuses, admission, lives, logger, signal } = this.#services;
    if (isEffect(action)) {
      this.#effect = action;
      return;
    }
    switch (action.type) {
      case "SetStatus":
        statuses.set(action.pod, action.status);
        lives?.status(this.identity.uid, action.status);
        break;
      case "RecordEvent": {
        const { pod, container, eventType, reason, message } = action;
        recordPodEvent(this.#services, pod, container, eventType, reason, message);
        break;
      }
      case "GrantAdmission":
        admission.grant(this.identity.uid);
        break;
      case "LogError":
        this.#error = action;
        if (!signal.aborted) logger.error(action.error, "Error syncing pod, skipping", { pod: podText(this.identity) });
        break;
      case "Interrupt":
        this.#interrupt.abort(new Error("the pod terminates"));
        break;
      case "Wait":
        this.#waitMs = action.ms;
        this.#endWait?.();
        break;
      default:
        assertNever(action);
    }
  }

  /** Waits for the time of the last `Wait`. A new `Wait` of 0 ms ends the wait. */
  async #wait(): Promise<void> {
    const { clock, signal } = this.#services;
    if (this.#waitMs <= 0 || signal.aborted) return;
    const ended = Promise.withResolvers<void>();
    const timer = clock.setTimeout(ended.resolve, this.#waitMs);
    const undo = onAbort(signal, ended.resolve);
    this.#endWait = ended.resolve;
    await ended.promise;
    timer.clear();
    undo();
    this.#endWait = undefined;
  }

  #now(): Now {
    const { clock } = this.#services;
    return { date: clock.now(), monotonicMs: clock.monotonicMs() };
  }
}
