import { core } from "@orchernetes/api";
import { equalJson, isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";
import {
  type NodeIdentity,
  type NodeObservation,
  newNode,
  nodeLabels,
  nodeStatus,
  withoutHeartbeats,
} from "./node-object.ts";
import { statusPatch } from "./status-patch.ts";

/** Keeps the Node object. */
export interface NodeController {
  /** The node as the API server has it, once it is registered. */
  readonly node: Stored<core.Node> | undefined;
  /** Resolves when the node is registered. */
  readonly registered: Promise<void>;
  /** Updates the status now. */
  wake(): void;
  /** Registers the node and keeps its status until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const firstRetryMs = 200;
const maxRetryMs = 7000;
const statusTries = 5;

/** What the Node object is made from, and how often it is written. */
export interface NodeControllerOptions {
  readonly client: Client;
  readonly identity: NodeIdentity;
  readonly register: boolean;
  readonly observe: () => Promise<NodeObservation>;
  readonly updateMs: number;
  readonly reportMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told when a condition changes: reasons such as `NodeReady`. */
  readonly onTransition: (reason: string) => void;
}

export function createNodeController(options: NodeControllerOptions): NodeController {
  const { client, identity, observe, clock, logger } = options;
  const nodes = client.resource(core.nodes);
  const registered = Promise.withResolvers<void>();
  let node: Stored<core.Node> | undefined;
  let bell = new AbortController();
  let reportedAtMs = Number.NEGATIVE_INFINITY;

  const register = async (signal: AbortSignal): Promise<void> => {
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, maxRetryMs)) {
      try {
        node = options.register ? await createOrAdopt(options, signal) : await nodes.get(identity.name, { signal });
        logger.info("Successfully registered node", { node: identity.name });
        registered.resolve();
        return;
      } catch (error) {
        signal.throwIfAborted();
        logger.error(error, "Unable to register node with API server", { node: identity.name });
        await clock.sleep(waitMs, signal);
      }
    }
  };

  /** Writes the status when something changed, or when it is time to. */
  const report = async (signal: AbortSignal): Promise<void> => {
    const observation = await observe();
    for (let tries = 1; ; tries++) {
      try {
        const current = await nodes.get(identity.name, { signal, ...(tries === 1 ? { resourceVersion: "0" } : {}) });
        const status = nodeStatus(identity, observation, current.status, clock.now());
        const due = clock.monotonicMs() - reportedAtMs >= options.reportMs;
        if (!due && equalJson(withoutHeartbeats(status), withoutHeartbeats(current.status))) {
          node = current;
          return;
        }
        const transitions = transitionsOf(current.status, status);
        const body = { metadata: { uid: current.metadata.uid }, status: statusPatch(current.status ?? {}, status) };
        node = await nodes.patch(identity.name, body, { type: "strategic", subresource: "status", signal });
        reportedAtMs = clock.monotonicMs();
        for (const reason of transitions) options.onTransition(reason);
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (isNotFound(error) && options.register) {
          // Somebody deleted the node while its agent lives: it comes back.
          node = await createOrAdopt(options, signal);
          return;
        }
        if (tries >= statusTries) throw error;
      }
    }
  };

  return {
    get node() {
      return node;
    },
    registered: registered.promise,
    wake: () => bell.abort(),
    async run(signal) {
      try {
        await register(signal);
        for (;;) {
          await report(signal).catch((error: unknown) => {
            signal.throwIfAborted();
            logger.error(error, "Unable to update node status, will retry");
          });
          await clock.sleep(options.updateMs, AbortSignal.any([signal, bell.signal])).catch(() => undefined);
          signal.throwIfAborted();
          if (bell.signal.aborted) bell = new AbortController();
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
}

/** Registers the node; one that exists gets the labels of this agent. */
async function createOrAdopt(
  { client, identity, observe, clock }: NodeControllerOptions,
  signal: AbortSignal,
): Promise<Stored<core.Node>> {
  const nodes = client.resource(core.nodes);
  try {
    return await nodes.create(newNode(identity, await observe(), clock.now()), { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const existing = await nodes.get(identity.name, { signal });
  const wanted = nodeLabels(identity);
  const labels = { ...existing.metadata.labels, ...wanted };
  if (equalJson(labels, existing.metadata.labels ?? {})) return existing;
  return await nodes.patch(identity.name, { metadata: { labels: wanted } }, { type: "strategic", signal });
}

/** Reasons of the events for conditions that have changed. */
function transitionsOf(before: core.NodeStatus | undefined, after: core.NodeStatus): readonly string[] {
  return (after.conditions ?? []).flatMap(({ type, status, reason = "" }) => {
    const old = before?.conditions?.find((condition) => condition.type === type)?.status;
    if (old === status) return [];
    if (type === "Ready") return [status === "True" ? "NodeReady" : "NodeNotReady"];
    if (["MemoryPressure", "DiskPressure", "PIDPressure"].includes(type)) return [reason.replace(/^Orchlet/, "Node")];
    return [];
  });
}
