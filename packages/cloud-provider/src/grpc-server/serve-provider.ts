import { readFileSync } from "node:fs";
import { Server, ServerCredentials, type ServiceDefinition, type sendUnaryData } from "@grpc/grpc-js";
import type { CallContext, CloudNode, CloudProvider, CloudService } from "../provider/cloud-provider.ts";
import { type CloudResult, failed, succeeded } from "../provider/cloud-result.ts";
import { guardProvider } from "../provider/guard-provider.ts";
import { type Fields, protocolMethods } from "../providers/grpc/protocol.ts";
import { routeFields, routeOf, statusCodes } from "../providers/grpc/wire.ts";
import { removeStaleSocket } from "./stale-socket.ts";

/** Where a provider is served. */
export interface ServeProviderOptions {
  /** `unix:///path`, or `host:port` with `tls`. */
  readonly endpoint: string;
  /** Files in PEM. Only clients with a certificate of the authority are answered. */
  readonly tls?: { readonly caFile: string; readonly certFile: string; readonly keyFile: string };
}

/** A provider that is served. */
export interface ServedProvider {
  /** The port; 0 for a socket. */
  readonly port: number;
  /** Ends all calls and stops. */
  stop(): void;
}

/** Largest request: the nodes behind a load balancer. */
const maxRequestBytes = 64 * 1024 * 1024;

/** Longest call without a deadline of the client, in milliseconds. */
const defaultMs = 5 * 60_000;

/**
 * Serves a provider to managers with `--cloud-provider=grpc`.
 *
 * @throws Error if the address cannot be listened on
 */
export async function serveCloudProvider(
  provider: CloudProvider,
  options: ServeProviderOptions,
): Promise<ServedProvider> {
  const server = new Server({ "grpc.max_receive_message_length": maxRequestBytes });
  const operations = operationsOf(guardProvider(provider));
  for (const [name, method] of protocolMethods()) {
    const definition = {
      path: method.path,
      requestStream: false,
      responseStream: false,
      requestSerialize: method.encodeRequest,
      requestDeserialize: method.decodeRequest,
      responseSerialize: method.encodeResponse,
      responseDeserialize: method.decodeResponse,
    };
    const operation = operations[name];
    const handler = (call: UnaryCall, done: sendUnaryData<Fields>): void =>
      void answer(operation, call).then((result) => {
        if (result.ok) done(null, result.value);
        else done({ code: statusCodes[result.error.code], details: result.error.message });
      });
    server.addService({ [name]: definition } as unknown as ServiceDefinition, { [name]: handler });
  }
  if (options.endpoint.startsWith("unix://")) await removeStaleSocket(options.endpoint.slice("unix://".length));
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(options.endpoint, credentialsOf(options), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { port, stop: () => server.forceShutdown() };
}

interface UnaryCall {
  readonly request: Fields;
  getDeadline(): Date | number;
  on(event: "cancelled", listener: () => void): unknown;
}

type Operation = (request: Fields, context: CallContext) => Promise<CloudResult<Fields>>;

function credentialsOf({ tls }: ServeProviderOptions): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { private_key: readFileSync(tls.keyFile), cert_chain: readFileSync(tls.certFile) };
  return ServerCredentials.createSsl(readFileSync(tls.caFile), [pair], true);
}

async function answer(operation: Operation | undefined, call: UnaryCall): Promise<CloudResult<Fields>> {
  if (operation === undefined) return failed("NotImplemented", "the provider has no such part");
  const stop = new AbortController();
  call.on("cancelled", () => stop.abort());
  const given = Number(call.getDeadline());
  const deadlineMs = Number.isFinite(given) ? given : Date.now() + defaultMs;
  try {
    const clusterName = String(call.request.clusterName ?? "");
    return await operation(call.request, { signal: stop.signal, deadlineMs, clusterName });
  } catch {
    return failed("InvalidArgument", "the request has no valid object");
  }
}

const into = <T>(result: CloudResult<T>, write: (value: T) => Fields): CloudResult<Fields> =>
  result.ok ? succeeded(write(result.value)) : result;

const nodeOf = (text: unknown): CloudNode => JSON.parse(String(text)) as CloudNode;
const serviceOf = ({ service }: Fields): CloudService => JSON.parse(String(service)) as CloudService;
const nodesOf = ({ nodes }: Fields): readonly CloudNode[] => (Array.isArray(nodes) ? nodes.map(nodeOf) : []);
const empty = (): Fields => ({});

function operationsOf({ name, hasClusterID, instances, zones, loadBalancers, routes, clusters }: CloudProvider) {
  const given = { instances, zones, loadBalancers, routes, clusters };
  const parts = Object.entries(given).flatMap(([part, value]) => (value === undefined ? [] : [part]));
  const operations: Record<string, Operation> = {
    GetInfo: async () => succeeded({ name, parts, lacksClusterId: hasClusterID === false }),
  };
  if (instances !== undefined) {
    Object.assign(operations, {
      InstanceExists: async (request, context) =>
        into(await instances.exists(nodeOf(request.node), context), (value) => ({ value })),
      InstanceIsShutDown: async (request, context) =>
        into(await instances.isShutDown(nodeOf(request.node), context), (value) => ({ value })),
      InstanceMetadata: async (request, context) =>
        into(await instances.metadata(nodeOf(request.node), context), (found) =>
          found === undefined ? {} : { metadata: { ...found, providerId: found.providerID } },
        ),
    } satisfies Record<string, Operation>);
  }
  if (zones !== undefined) {
    operations.ZoneOfNode = async (request, context) =>
      into(await zones.ofNode(nodeOf(request.node), context), (zone) => ({ ...zone }));
  }
  return {
    ...operations,
    ...loadBalancerOperations(loadBalancers),
    ...routeOperations(routes),
    ...clusterOperations(clusters),
  };
}

function loadBalancerOperations(of: CloudProvider["loadBalancers"]): Readonly<Record<string, Operation>> {
  if (of === undefined) return {};
  const optional = (status: object | undefined): Fields => (status === undefined ? {} : { status });
  return {
    GetLoadBalancer: async (request, context) => into(await of.get(serviceOf(request), context), optional),
    LoadBalancerName: async (request, context) =>
      into(await of.name(serviceOf(request), context), (name) => ({ name })),
    EnsureLoadBalancer: async (request, context) =>
      into(await of.ensure(serviceOf(request), nodesOf(request), context), optional),
    UpdateLoadBalancer: async (request, context) =>
      into(await of.update(serviceOf(request), nodesOf(request), context), optional),
    EnsureLoadBalancerDeleted: async (request, context) =>
      into(await of.ensureDeleted(serviceOf(request), context), empty),
  };
}

function routeOperations(of: CloudProvider["routes"]): Readonly<Record<string, Operation>> {
  if (of === undefined) return {};
  return {
    ListRoutes: async (_, context) => into(await of.list(context), (routes) => ({ routes: routes.map(routeFields) })),
    CreateRoute: async ({ nameHint, route }, context) =>
      into(await of.create(String(nameHint), routeOf(route), context), empty),
    DeleteRoute: async ({ route }, context) => into(await of.delete(routeOf(route), context), empty),
  };
}

function clusterOperations(of: CloudProvider["clusters"]): Readonly<Record<string, Operation>> {
  if (of === undefined) return {};
  return {
    ListClusters: async (_, context) => into(await of.list(context), (names) => ({ names })),
    ClusterAddress: async ({ cluster }, context) =>
      into(await of.address(String(cluster), context), (name) => ({ name })),
  };
}
