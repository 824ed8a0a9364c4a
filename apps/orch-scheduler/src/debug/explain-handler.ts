import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { targetOf } from "@orchernetes/component";
import { formatDuration } from "@orchernetes/config";
import { type Clock, type EventLoop, type HttpHandler, LongWork } from "@orchernetes/kernel";
import { podInfo } from "../cache/pod-info.ts";
import { cycleOf, type DecisionState } from "../explain/explain-decision.ts";
import { decidingProfile, type ExplainedPod, explainPod } from "../explain/explain-pod.ts";
import type { PodState } from "../explain/explanation.ts";
import { explanationText } from "../explain/explanation-text.ts";
import { decideAndRecord, type ExtenderDecision, failedDecision } from "../explain/extender-decision.ts";
import type { ExtenderServices } from "../extender/decide-with-extenders.ts";
import type { QueuedPod, SchedulingQueue } from "../queue/scheduling-queue.ts";
import { RandomNumbers } from "../random-numbers.ts";
import type { SchedulerView } from "../scheduler.ts";
import { answerError, answerJson, answerText, clientGone, isRead, Unanswerable } from "./answer.ts";

/** The path at which the scheduler explains where a pod is. */
export const EXPLAIN_PATH = "/debug/explain";

/** The state that explanations read. */
export interface ExplainedState {
  /** Whether all informers have synced. */
  readonly isSynced: () => boolean;
  readonly pod: (key: string) => Stored<core.Pod> | undefined;
  readonly queue: Pick<SchedulingQueue, "get">;
  readonly view: () => SchedulerView;
  /** The extenders, and what they are sent. @default there are none */
  readonly extenders?: Pick<ExtenderServices, "extenders" | "pod" | "node" | "logger">;
  /** Time limit of all extenders together, in milliseconds; each request has that of its extender, too. @default 10000 */
  readonly extendersMs?: number;
  /** Changes with all objects beside nodes and pods that filters read. */
  readonly revision: () => number;
  readonly random: RandomNumbers;
  readonly clock: Clock;
  readonly loop: EventLoop;
}

/** Maximum number of concurrent explanations: each takes as long as several decisions. */
const MAX_UNDER_WAY = 2;
/** Maximum length of `namespace/name`. */
const MAX_KEY = 63 + 1 + 253;

function podKeyOf(query: URLSearchParams): string {
  const given = query.getAll("pod");
  const [key = ""] = given;
  if (given.length !== 1 || key.length > MAX_KEY || !/^[^/]+\/[^/]+$/.test(key))
    throw new Unanswerable(
      400,
      `parameter pod: found ${
        given
          .map((text) => JSON.stringify(text))
          .join(", ")
          .slice(0, 400) || "none"
      }; want NAMESPACE/NAME once`,
    );
  return key;
}

function outputOf(query: URLSearchParams): "json" | "text" {
  const output = query.get("output") ?? "json";
  if (output === "json" || output === "text") return output;
  throw new Unanswerable(400, `parameter output: found ${JSON.stringify(output.slice(0, 100))}; want json or text`);
}

/** The entry of a pod in the queue, with times relative to now. */
export function queueState(queued: Readonly<QueuedPod>, nowMs: number): Extract<PodState, { type: "queued" }> {
  const { place, attempts, arrivedMs, dueMs } = queued;
  return {
    type: "queued",
    place,
    attempts,
    waitingSeconds: (nowMs - arrivedMs) / 1000,
    ...(place === "backoff" && { retryInSeconds: Math.max(0, dueMs - nowMs) / 1000 }),
  };
}

function explainedPod(key: string, state: ExplainedState): ExplainedPod {
  if (!state.isSynced()) throw new Unanswerable(503, "the scheduler has not listed the cluster yet; try again");
  const pod = state.pod(key);
  if (pod === undefined)
    throw new Unanswerable(404, `pod ${JSON.stringify(key)} not found among the pods that have not terminated`);
  const { cache, profiles, waiting } = state.view();
  const queued = state.queue.get(key);
  return {
    pod,
    queued: queued && queueState(queued, state.clock.monotonicMs()),
    assumedNode: cache.assumedNode(key, pod.metadata.uid),
    heldBy: waiting.get(pod.metadata.uid)?.pendingPlugins ?? [],
    profile: profiles.get(pod.spec.schedulerName ?? ""),
  };
}

/** The state on which a decision would be made now. */
function decisionState({ view, random, revision }: ExplainedState): DecisionState {
  const { cache, nominated, start } = view();
  const { nodes } = cache;
  const changes = (): number => nodes.revision + nominated.revision + revision();
  return { nodes, nominations: nominated, start, random, revision: changes };
}

/**
 * Asks the extenders about a pod, beside the scheduler: attempts go on meanwhile. The requests are those of an attempt, so that
 * extenders need not know about explanations.
 *
 * @returns undefined if there is nothing to ask
 */
async function askExtenders(
  explained: ExplainedPod,
  state: ExplainedState,
  gone: AbortSignal,
): Promise<ExtenderDecision | undefined> {
  const profile = decidingProfile(explained);
  if (state.extenders === undefined || state.extenders.extenders.length === 0 || profile === undefined)
    return undefined;
  const { random, extendersMs = 10_000 } = state;
  const limit = AbortSignal.timeout(extendersMs);
  const info = podInfo(explained.pod);
  const decided = decisionState(state);
  // The scheduler's own numbers stay as they are.
  const cycle = cycleOf(info, { ...decided, random: new RandomNumbers(random.state) });
  const asked = await decideAndRecord(info, decided.nodes, profile, cycle, {
    ...state.extenders,
    signal: AbortSignal.any([gone, limit]),
    isolated: (work) => random.without(work),
  });
  if (!limit.aborted) return asked;
  const message = `the extenders did not answer within ${formatDuration(extendersMs)}`;
  return { ...asked, decide: failedDecision(new Error(message)) };
}

/**
 * Handles `GET /debug/explain?pod=NAMESPACE/NAME`: why the pod is where it is, as JSON, or as text with `output=text`. The
 * work is done in slices, between which pods are scheduled, after extenders have answered, or 10 s were over. 400 for invalid parameters, 404 for unknown pods, 429 while
 * others are being explained, 503 before the caches are complete.
 */
export function explainHandler(state: ExplainedState): HttpHandler {
  const work = new LongWork(state.loop);
  let underWay = 0;
  return async (request, response) => {
    if (!isRead(request, response)) return;
    if (underWay >= MAX_UNDER_WAY) {
      answerError(request, response, 429, "other pods are being explained; try again");
      return;
    }
    underWay++;
    try {
      const { query } = targetOf(request);
      const [key, output] = [podKeyOf(query), outputOf(query)];
      const gone = clientGone(response);
      const asked = await askExtenders(explainedPod(key, state), state, gone);
      if (gone.aborted) return;
      // The pod may have another place by now.
      const explanation = await work.run(explainPod(explainedPod(key, state), decisionState(state), asked), gone);
      if (explanation === undefined) return;
      if (output === "text") answerText(request, response, explanationText(explanation));
      else answerJson(request, response, explanation);
    } catch (error) {
      if (!(error instanceof Unanswerable)) throw error;
      answerError(request, response, error.status, error.message);
    } finally {
      underWay--;
    }
  };
}
