import { core } from "@orchernetes/api";
import { badRequest, serviceUnavailable } from "@orchernetes/apimachinery";
import type { RequestContext, RequestHandler } from "@orchernetes/apiserver";
import { type ProxyTarget, portNumber, proxyHttp } from "./http-proxy.ts";
import type { NodeConnection } from "./node-connection.ts";

type Resolve = (context: RequestContext, id: ProxyId) => Promise<Omit<ProxyTarget, "path">>;

/** A name in a proxy path: `[scheme:]name[:port]`. */
export interface ProxyId {
  readonly scheme: "http:" | "https:";
  readonly name: string;
  readonly port: string;
}

/** @throws ApiError BadRequest */
export function parseProxyId(text: string): ProxyId {
  const parts = text.split(":");
  const [first = "", second = "", third = ""] = parts;
  if (parts.length === 1) return { scheme: "http:", name: first, port: "" };
  if (parts.length === 2) return { scheme: "http:", name: first, port: second };
  if (parts.length === 3 && (first === "" || first === "http" || first === "https"))
    return { scheme: first === "https" ? "https:" : "http:", name: second, port: third };
  throw badRequest(`invalid proxy target "${text}"; it is [scheme:]name[:port] with scheme http or https`);
}

/** What stands after `/proxy` in the path as it was sent, with the query. */
function restOfPath({ requestInfo }: RequestContext): string {
  const at = requestInfo.path.indexOf("/proxy", requestInfo.path.indexOf(`/${requestInfo.resource}/`));
  const rest = requestInfo.path.slice(at + "/proxy".length);
  return `${rest === "" ? "/" : rest}${requestInfo.query === "" ? "" : `?${requestInfo.query}`}`;
}

function proxyHandler(resolve: Resolve): RequestHandler {
  return {
    verbs: ["get", "create", "update", "patch", "delete"],
    longRunning: true,
    rawBody: true,
    async handle(context) {
      const target = await resolve(context, parseProxyId(context.requestInfo.name));
      const { req, res, signal } = context;
      await proxyHttp(
        req,
        res,
        { ...target, path: restOfPath(context) },
        { timeoutMs: 60_000, signal, describe: `${target.host}:${target.port}` },
      );
      return { type: "streamed" };
    },
  };
}

/** `nodes/proxy`: the node agent's own pages. */
export function nodeProxyHandler(nodes: NodeConnection): RequestHandler {
  return proxyHandler(async ({ registry, signal }, id) => {
    await registry.forDefinition(core.nodes).get({ namespace: "", name: id.name }, { signal });
    const address = await nodes.locate(id.name, registry, signal);
    return { protocol: "https:", ...address, agent: nodes.agent };
  });
}

/** `pods/proxy`: a port of a pod, the first declared one by default. */
export const podProxyHandler: RequestHandler = proxyHandler(async ({ registry, requestInfo, signal }, id) => {
  const pod = await registry
    .forDefinition(core.pods)
    .get({ namespace: requestInfo.namespace, name: id.name }, { signal });
  if (!pod.status.podIP) throw badRequest(`address not allowed: pod ${id.name} has no IP yet`);
  const ports = pod.spec.containers.flatMap((c) => c.ports ?? []);
  const named = id.port === "" ? ports[0] : ports.find((p) => p.name === id.port);
  return { protocol: id.scheme, host: pod.status.podIP, port: named?.containerPort ?? portNumber(id.port || "80") };
});

/** `services/proxy`: any ready endpoint of a service. */
export const serviceProxyHandler: RequestHandler = proxyHandler(async ({ registry, requestInfo, signal }, id) => {
  const ref = { namespace: requestInfo.namespace, name: id.name };
  const service = await registry.forDefinition(core.services).get(ref, { signal });
  const servicePort = service.spec.ports?.find((p) =>
    id.port === "" ? true : p.name === id.port || String(p.port) === id.port,
  );
  if (servicePort === undefined)
    throw serviceUnavailable(`no service port "${id.port}" found for service "${id.name}"`);
  const endpoints = await registry
    .forDefinition(core.endpoints)
    .get(ref, { signal })
    .catch(() => undefined);
  for (const { addresses = [], ports = [] } of endpoints?.subsets ?? []) {
    const port = ports.find((p) => (p.name ?? "") === (servicePort.name ?? ""));
    const address = addresses[Math.floor(Math.random() * addresses.length)];
    if (port !== undefined && address !== undefined) return { protocol: id.scheme, host: address.ip, port: port.port };
  }
  throw serviceUnavailable(`no endpoints available for service "${id.name}"`);
});
