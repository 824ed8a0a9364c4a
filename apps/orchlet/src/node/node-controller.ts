import { core } from "@orchernetes/api";
import { equalJson, isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";
import {
  type NodeIdentity,
  type NodeObservation,
  newNode,
  nodeAnnotations,
  nodeLabels,
  nodeStatus,
  optionalAnnotations,
  withoutHeartbeats,
} from "./node-object.ts";
import { statusPatch } from "./status-patch.ts";

/** Creates the Node object and keeps its status up to date. */
export interface NodeController {
  /** The node as the API server last returned it; undefined before registration. */
  readonly node: Stored<core.Node> | undefined;
  /** Resolves when the node is registered. */
  readonly registered: Promise<void>;
  /** Updates the status without waiting for the next period. */
  wake(): void;
  /** Registers the node and keeps its status until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Bounds of the back-off between attempts to register. */
const firstRetryMs = 200;
const maxRetryMs = 7000;
/**
 * Attempts to write the status per period: conflicting writes of others are likely to have ended by the next attempt.
 */
const statusTries = 5;

/** The sources of the Node object, and how often it is written. */
export interface NodeControllerOptions {
  readonly client: Client;
  readonly identity: NodeIdentity;
  /** Whether to create the Node object; if false, the agent waits until somebody else has created it. */
  readonly register: boolean;
  readonly observe: () => Promise<NodeObservation>;
  /** Time between checks of the status. */
  readonly updateMs: number;
  /** Maximum time between writes of an unchanged status; renewing the lease shows that the node is alive in between. */
  readonly reportMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with the reason of an event, such as `NodeReady`, when a condition changes, or whether pods are scheduled to the node. */
  readonly onTransition: (reason: string) => void;
  /** Called with the new boot id when the machine was started again since the node's status was written. */
  readonly onReboot: (bootId: string) => void;
}

/** Creates the controller of the node's own object. {@link NodeController.run} starts it. */
export function createNodeController(options: NodeControllerOptions): NodeController {
  const { client, identity, observe, clock, logger } = options;
  const nodes = client.resource(core.nodes);
  const registered = Promise.withResolvers<void>();
  let node: Stored<core.Node> | undefined;
  let wakeUp = new AbortController();
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  let unschedulable = false;

  const noteScheduling = ({ spec }: core.Node): void => {
    const isUnschedulable = spec?.unschedulable === true;
    if (isUnschedulable !== unschedulable)
      options.onTransition(isUnschedulable ? "NodeNotSchedulable" : "NodeSchedulable");
    unschedulable = isUnschedulable;
  };

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

  /** Writes the status if it has changed or the last write is `reportMs` ago. */
  const report = async (signal: AbortSignal): Promise<void> => {
    const observation = await observe();
    for (let tries = 1; ; tries++) {
      try {
        // The first read may come from the server's cache; after a conflict it must be current.
        const current = await nodes.get(identity.name, { signal, ...(tries === 1 ? { resourceVersion: "0" } : {}) });
        noteScheduling(current);
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
        const bootId = newBootId(current.status, status);
        if (bootId !== undefined) options.onReboot(bootId);
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (isNotFound(error) && options.register) {
          // The Node was deleted while its agent runs: register it again.
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
    wake: () => wakeUp.abort(),
    async run(signal) {
      try {
        await register(signal);
        for (;;) {
          await report(signal).catch((error: unknown) => {
            signal.throwIfAborted();
            logger.error(error, "Unable to update node status, will retry");
          });
          await clock.sleep(options.updateMs, AbortSignal.any([signal, wakeUp.signal])).catch(() => undefined);
          signal.throwIfAborted();
          if (wakeUp.signal.aborted) wakeUp = new AbortController();
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
}

/** Creates the Node object, or updates the labels and annotations of an existing one to those of this agent. */
async function createOrAdopt(
  { client, identity, observe, clock, onTransition }: NodeControllerOptions,
  signal: AbortSignal,
): Promise<Stored<core.Node>> {
  const nodes = client.resource(core.nodes);
  try {
    const created = await nodes.create(newNode(identity, await observe(), clock.now()), { signal });
    // As in the original, a new node says how it is, but not that it has become ready.
    for (const reason of transitionsOf(undefined, created.status ?? {}))
      if (reason !== "NodeReady" && reason !== "NodeNotReady") onTransition(reason);
    return created;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const existing = await nodes.get(identity.name, { signal });
  const metadata = { labels: nodeLabels(identity), annotations: nodeAnnotations(identity) };
  const { labels = {}, annotations = {} } = existing.metadata;
  const isCurrent =
    equalJson({ ...labels, ...metadata.labels }, labels) &&
    equalJson({ ...annotations, ...metadata.annotations }, annotations);
  const left = optionalAnnotations.filter(
    (name) => Object.hasOwn(annotations, name) && !Object.hasOwn(metadata.annotations, name),
  );
  if (isCurrent && left.length === 0) return existing;
  const removed = Object.fromEntries(left.map((name) => [name, null]));
  const body = { metadata: { ...metadata, annotations: { ...metadata.annotations, ...removed } } };
  return await nodes.patch(identity.name, body, { type: "strategic", signal });
}

/** The boot id, if it is another one than before. */
function newBootId(before: core.NodeStatus | undefined, { nodeInfo }: core.NodeStatus): string | undefined {
  const old = before?.nodeInfo?.bootID;
  return old && nodeInfo !== undefined && old !== nodeInfo.bootID ? nodeInfo.bootID : undefined;
}

/** The reasons of the events for conditions whose status has changed. */
function transitionsOf(before: core.NodeStatus | undefined, after: core.NodeStatus): readonly string[] {
  return (after.conditions ?? []).flatMap(({ type, status, reason = "" }) => {
    const old = before?.conditions?.find((condition) => condition.type === type)?.status;
    if (old === status) return [];
    if (type === "Ready") return [status === "True" ? "NodeReady" : "NodeNotReady"];
    if (["MemoryPressure", "DiskPressure", "PIDPressure"].includes(type)) return [reason.replace(/^Orchlet/, "Node")];
    return [];
  });
}
