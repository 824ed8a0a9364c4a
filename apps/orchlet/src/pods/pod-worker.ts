import type { core } from "@orchernetes/api";
import { assertNever } from "@orchernetes/kernel";
import type { PodFailure } from "../types/pod-failure.ts";
import { type PodIdentity, podText } from "../types/pod-identity.ts";
import { next } from "./next.ts";
import { performEffect, recordPodEvent } from "./pod-effects.ts";
import { initialState, type Now, type PodState } from "./pod-state.ts";
import type { PodWorkerServices } from "./pod-worker-services.ts";
import { isEffect, type PodEffect, type PodObservation, type PodWorkerAction } from "./transition.ts";

/**
 * One pod of this node. Everything that is done to it is done by its worker, one effect at a time. What is done is decided by
 * {@link next}; the worker keeps the state, carries out the actions and waits between rounds.
 */
export class PodWorker {
  readonly identity: PodIdentity;
  /**
   * Resolves when nothing of the pod is left, or the agent ends; to the pod that is to be started next under the same uid, if
   * its source has it again.
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
  #waitMs = 0;
  #endWait: (() => void) | undefined;

  /** Begins to work on a pod; without `pod`, removes what the runtime has of one. Ends with the services' signal. */
  constructor(identity: PodIdentity, pod: core.Pod | undefined, services: PodWorkerServices) {
    this.identity = identity;
    this.#services = services;
    const policy = { syncMs: services.syncMs, crash: services.crashBackoff };
    this.#state = initialState(identity, pod, policy, this.#now());
    this.stopped = this.#whenStopped.promise;
    this.done = this.#run();
  }

  /** The pod as it is wanted; undefined when the worker only removes what is left of one. */
  get pod(): core.Pod | undefined {
    return this.#state.type === "Gone" ? undefined : this.#state.pod;
  }

  get status(): core.PodStatus | undefined {
    return this.#state.status;
  }

  /** The pod was removed from its source, and terminates. */
  get removed(): boolean {
    const state = this.#state;
    return state.type === "Gone" || ("removed" in state && state.removed);
  }

  /** The pod as its source has it now. */
  update(pod: core.Pod): void {
    this.#observe({ type: "Updated", pod });
  }

  /** Its source no longer has it. */
  remove(): void {
    this.#observe({ type: "Removed" });
  }

  /** Has it end as failed. */
  fail(failure: PodFailure): void {
    this.#observe({ type: "Failed", failure });
  }

  /** Something changed: has the pod looked at again. */
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

  /** From `Due` until no effect follows. */
  async #round(): Promise<void> {
    this.#interrupt = new AbortController();
    this.#error = undefined;
    this.#observeInRound({ type: "Due" });
    while (this.#effect !== undefined) {
      const effect = this.#effect;
      this.#effect = undefined;
      this.#observeInRound(await performEffect(effect, this.identity, this.#services, this.#interrupt.signal));
    }
  }

  /** An error in a decision fails the round, as that of an effect does: one pod must not end the agent. */
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
    const { statuses, admission, logger, signal } = this.#services;
    if (isEffect(action)) {
      this.#effect = action;
      return;
    }
    switch (action.type) {
      case "SetStatus":
        statuses.set(action.pod, action.status);
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
        this.#interrupt.abort(new Error("the pod is to end"));
        break;
      case "Wait":
        this.#waitMs = action.ms;
        this.#endWait?.();
        break;
      default:
        assertNever(action);
    }
  }

  /** Waits as long as the last `Wait` says; one of 0 ms ends the wait. */
  async #wait(): Promise<void> {
    const { clock, signal } = this.#services;
    if (this.#waitMs <= 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, this.#waitMs);
      this.#endWait = () => {
        timer.clear();
        resolve();
      };
      signal.addEventListener("abort", this.#endWait, { once: true });
    });
    if (this.#endWait !== undefined) signal.removeEventListener("abort", this.#endWait);
    this.#endWait = undefined;
  }

  #now(): Now {
    const { clock } = this.#services;
    return { date: clock.now(), monotonicMs: clock.monotonicMs() };
  }
}
