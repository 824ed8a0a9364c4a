import { type Clock, messageOf, systemClock } from "@orchernetes/kernel";
import {
  type Check,
  checkBoolean,
  checkClusters,
  checkMetadata,
  checkName,
  checkNewStatus,
  checkNothing,
  checkOptionalStatus,
  checkRoutes,
  checkZone,
} from "./check-answers.ts";
import type {
  CallContext,
  CloudProvider,
  Clusters,
  Instances,
  LoadBalancers,
  Routes,
  Zones,
} from "./cloud-provider.ts";
import { type CloudErrorCode, type CloudResult, failed, withdrawn } from "./cloud-result.ts";

/** A call of a provider that has ended. */
export interface EndedCall {
  /** Such as `instances.exists`. */
  readonly operation: string;
  readonly code: CloudErrorCode | "OK";
  readonly durationMs: number;
}

/** Options of {@link guardProvider}. */
export interface GuardOptions {
  readonly clock?: Clock;
  /** Called when a call ends. @default nothing */
  readonly onEnd?: (call: EndedCall) => void;
}

/** Longest text of an error that is kept. */
const maxMessageLength = 1024;

const codes: ReadonlySet<unknown> = new Set<CloudErrorCode>([
  "NotFound",
  "ImplementedElsewhere",
  "NotImplemented",
  "InvalidArgument",
  "Unavailable",
  "DeadlineExceeded",
  "Canceled",
  "InvalidAnswer",
  "Internal",
]);

/**
 * A provider whose calls always end, never throw and never return an answer of a wrong form, whatever the provider does: a call that
 * lasts beyond its deadline or is aborted ends with an error, and the provider's own end of it is ignored.
 */
export function guardProvider(provider: CloudProvider, options: GuardOptions = {}): CloudProvider {
  const guard = new Guard(options);
  const { instances, zones, loadBalancers, routes, clusters } = provider;
  const run = provider.run?.bind(provider);
  const close = provider.close?.bind(provider);
  return {
    name: provider.name,
    hasClusterID: provider.hasClusterID,
    instances: instances && guardedInstances(instances, guard),
    zones: zones && guardedZones(zones, guard),
    loadBalancers: loadBalancers && guardedLoadBalancers(loadBalancers, guard),
    routes: routes && guardedRoutes(routes, guard),
    clusters: clusters && guardedClusters(clusters, guard),
    ...(run === undefined ? {} : { run }),
    ...(close === undefined ? {} : { close }),
  };
}

class Guard {
  readonly #clock: Clock;
  readonly #onEnd: (call: EndedCall) => void;

  constructor({ clock = systemClock, onEnd = () => undefined }: GuardOptions) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** Makes a call; see {@link guardProvider}. */
  async call<T>(
    operation: string,
    context: CallContext,
    check: Check,
    attempt: (context: CallContext) => Promise<CloudResult<T>>,
  ): Promise<CloudResult<T>> {
    const startMs = this.#clock.monotonicMs();
    const result = await this.#limited(context, attempt);
    const checked = answerOf(result, check);
    const durationMs = this.#clock.monotonicMs() - startMs;
    this.#onEnd({ operation, code: checked.ok ? "OK" : checked.error.code, durationMs });
    return checked;
  }

  async #limited<T>(
    context: CallContext,
    attempt: (context: CallContext) => Promise<CloudResult<T>>,
  ): Promise<CloudResult<T>> {
    const { signal, deadlineMs } = context;
    if (signal.aborted) return failed("Canceled", "the caller stopped");
    const limitMs = deadlineMs - this.#clock.nowMs();
    if (limitMs <= 0) return failed("DeadlineExceeded", "the deadline had passed before the call");
    const ended = Promise.withResolvers<CloudResult<T>>();
    const stop = new AbortController();
    const end = (result: CloudResult<T>): void => {
      ended.resolve(result);
      stop.abort();
    };
    const timer = this.#clock.setTimeout(
      () => end(failed("DeadlineExceeded", `no answer within ${Math.round(limitMs)} ms`)),
      limitMs,
    );
    const onAbort = (): void => end(failed("Canceled", "the caller stopped"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      // A call that loses against the deadline may reject later, which must not end the process.
      const call = attemptSafely(attempt, { ...context, signal: stop.signal });
      return await Promise.race([ended.promise, call]);
    } finally {
      timer.clear();
      signal.removeEventListener("abort", onAbort);
    }
  }
}

async function attemptSafely<T>(
  attempt: (context: CallContext) => Promise<CloudResult<T>>,
  context: CallContext,
): Promise<CloudResult<T>> {
  try {
    return await attempt(context);
  } catch (error) {
    return failed("Internal", messageOf(error));
  }
}

/** The result of a provider, which may be of any form, as a result. */
function answerOf<T>(result: CloudResult<T>, check: Check): CloudResult<T> {
  const found: unknown = result;
  if (typeof found !== "object" || found === null || !("ok" in found)) {
    return failed("InvalidAnswer", "the provider's answer is no result");
  }
  if (result.ok === true) {
    const error = check(result.value);
    return error === undefined ? result : failed("InvalidAnswer", `the provider's answer is not valid: ${error}`);
  }
  const error: { code?: unknown; message?: unknown; withdrawsStatus?: unknown } = result.error ?? {};
  const { code, message, withdrawsStatus } = error;
  const text = String(message ?? "unknown error").slice(0, maxMessageLength);
  if (withdrawsStatus === true) return withdrawn(text);
  return failed(codes.has(code) ? (code as CloudErrorCode) : "Internal", text);
}

const guardedInstances = (instances: Instances, guard: Guard): Instances => ({
  exists: (node, context) => guard.call("instances.exists", context, checkBoolean, (c) => instances.exists(node, c)),
  isShutDown: (node, context) =>
    guard.call("instances.isShutDown", context, checkBoolean, (c) => instances.isShutDown(node, c)),
  metadata: (node, context) =>
    guard.call("instances.metadata", context, checkMetadata, (c) => instances.metadata(node, c)),
});

const guardedZones = (zones: Zones, guard: Guard): Zones => ({
  ofNode: (node, context) => guard.call("zones.ofNode", context, checkZone, (c) => zones.ofNode(node, c)),
});

const guardedLoadBalancers = (of: LoadBalancers, guard: Guard): LoadBalancers => ({
  get: (service, context) => guard.call("loadBalancers.get", context, checkOptionalStatus, (c) => of.get(service, c)),
  name: (service, context) => guard.call("loadBalancers.name", context, checkName, (c) => of.name(service, c)),
  ensure: (service, nodes, context) =>
    guard.call("loadBalancers.ensure", context, checkNewStatus(nodes, false), (c) => of.ensure(service, nodes, c)),
  update: (service, nodes, context) =>
    guard.call("loadBalancers.update", context, checkNewStatus(nodes, true), (c) => of.update(service, nodes, c)),
  ensureDeleted: (service, context) =>
    guard.call("loadBalancers.ensureDeleted", context, checkNothing, (c) => of.ensureDeleted(service, c)),
  ...(of.follow === undefined ? {} : { follow: of.follow.bind(of) }),
});

const guardedRoutes = (routes: Routes, guard: Guard): Routes => ({
  list: (context) => guard.call("routes.list", context, checkRoutes, (c) => routes.list(c)),
  create: (nameHint, route, context) =>
    guard.call("routes.create", context, checkNothing, (c) => routes.create(nameHint, route, c)),
  delete: (route, context) => guard.call("routes.delete", context, checkNothing, (c) => routes.delete(route, c)),
});

const guardedClusters = (clusters: Clusters, guard: Guard): Clusters => ({
  list: (context) => guard.call("clusters.list", context, checkClusters, (c) => clusters.list(c)),
  address: (cluster, context) =>
    guard.call("clusters.address", context, checkName, (c) => clusters.address(cluster, c)),
});
