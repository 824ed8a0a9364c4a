import { messageOf } from "@orchernetes/kernel";
import type { CloudProviderModule, ProviderOptions } from "../../manager/provider-module.ts";
import type {
  CallContext,
  CloudNode,
  CloudProvider,
  CloudService,
  Clusters,
  Instances,
  LoadBalancers,
  Routes,
  Zones,
} from "../../provider/cloud-provider.ts";
import { type CloudResult, failed } from "../../provider/cloud-result.ts";
import { GrpcConnection } from "./grpc-connection.ts";
import { parseGrpcSettings } from "./grpc-settings.ts";
import type { Fields } from "./protocol.ts";
import { metadataOf, nodeText, routeFields, routesOf, serviceText, statusOf } from "./wire.ts";

/** Milliseconds between attempts to reach the process for the first time. */
const retryMs = 1000;

/** Longest time of such an attempt, in milliseconds. */
const infoMs = 10_000;

/**
 * The provider `grpc`: a process of its own, in any language. Its parts are read once, when the process is first reached; that is waited
 * for.
 */
export const grpcProvider: CloudProviderModule = {
  configErrors(config) {
    const parsed = parseGrpcSettings(config);
    return "errors" in parsed ? parsed.errors : [];
  },
  async create(options) {
    const parsed = parseGrpcSettings(options.config);
    if ("errors" in parsed) throw new Error(parsed.errors.join("; "));
    const connection = new GrpcConnection(parsed.settings, options.clock);
    try {
      const info = await reach(connection, options, parsed.settings.endpoint);
      return providerOf(connection, info);
    } catch (error) {
      connection.close();
      throw error;
    }
  },
};

/** What the process says about itself. Tries until it is reached. @throws the signal's reason */
async function reach(
  connection: GrpcConnection,
  { clock, signal, logger }: ProviderOptions,
  endpoint: string,
): Promise<Fields> {
  for (;;) {
    const context = { signal, clusterName: "", deadlineMs: clock.nowMs() + infoMs };
    const answer = await connection.call("GetInfo", {}, context, (info) => info);
    if (answer.ok) return answer.value;
    signal.throwIfAborted();
    logger.warn("Cannot reach the cloud provider, trying again", { endpoint, err: answer.error.message });
    await clock.sleep(retryMs, signal);
  }
}

const maxNameLength = 63;

function providerOf(connection: GrpcConnection, info: Fields): CloudProvider {
  const parts = new Set(Array.isArray(info.parts) ? info.parts : []);
  const name = String(info.name).slice(0, maxNameLength) || "grpc";
  const call: Call = (method, request, context, read) =>
    connection.call(method, { clusterName: context.clusterName, ...request }, context, read).catch((error: unknown) =>
      // A response that is no message.
      failed("InvalidAnswer", messageOf(error)),
    );
  return {
    name,
    hasClusterID: info.lacksClusterId !== true,
    ...(parts.has("instances") ? { instances: instancesOver(call) } : {}),
    ...(parts.has("zones") ? { zones: zonesOver(call) } : {}),
    ...(parts.has("loadBalancers") ? { loadBalancers: loadBalancersOver(call) } : {}),
    ...(parts.has("routes") ? { routes: routesOver(call) } : {}),
    ...(parts.has("clusters") ? { clusters: clustersOver(call) } : {}),
    close: () => connection.close(),
  };
}

type Call = <T>(
  method: string,
  request: Fields,
  context: CallContext,
  read: (response: Fields) => T,
) => Promise<CloudResult<T>>;

const nothing = (): undefined => undefined;

// Casts of responses are safe: the guard checks every answer.
const instancesOver = (call: Call): Instances => ({
  exists: (node, context) => call("InstanceExists", { node: nodeText(node) }, context, ({ value }) => value as boolean),
  isShutDown: (node, context) =>
    call("InstanceIsShutDown", { node: nodeText(node) }, context, ({ value }) => value as boolean),
  metadata: (node, context) =>
    call("InstanceMetadata", { node: nodeText(node) }, context, ({ metadata }) => metadataOf(metadata)),
});

const zonesOver = (call: Call): Zones => ({
  ofNode: (node, context) =>
    call("ZoneOfNode", { node: nodeText(node) }, context, ({ zone, region }) => ({
      zone: zone as string,
      region: region as string,
    })),
});

function loadBalancersOver(call: Call): LoadBalancers {
  const about = (service: CloudService, nodes: readonly CloudNode[] = []): Fields => ({
    service: serviceText(service),
    nodes: nodes.map(nodeText),
  });
  return {
    get: (service, context) => call("GetLoadBalancer", about(service), context, ({ status }) => statusOf(status)),
    name: (service, context) => call("LoadBalancerName", about(service), context, ({ name }) => name as string),
    // Without a status the answer is refused.
    ensure: (service, nodes, context) =>
      call("EnsureLoadBalancer", about(service, nodes), context, ({ status }) => statusOf(status) as never),
    update: (service, nodes, context) =>
      call("UpdateLoadBalancer", about(service, nodes), context, ({ status }) => statusOf(status)),
    ensureDeleted: (service, context) => call("EnsureLoadBalancerDeleted", about(service), context, nothing),
  };
}

const routesOver = (call: Call): Routes => ({
  list: (context) => call("ListRoutes", {}, context, ({ routes }) => routesOf(routes)),
  create: (nameHint, route, context) => call("CreateRoute", { nameHint, route: routeFields(route) }, context, nothing),
  delete: (route, context) => call("DeleteRoute", { route: routeFields(route) }, context, nothing),
});

const clustersOver = (call: Call): Clusters => ({
  list: (context) => call("ListClusters", {}, context, ({ names }) => names as readonly string[]),
  address: (cluster, context) => call("ClusterAddress", { cluster }, context, ({ name }) => name as string),
});
