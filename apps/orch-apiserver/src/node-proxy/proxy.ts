import type http from "node:http";
import { core } from "@orchernetes/api";
import { badRequest } from "@orchernetes/apimachinery";
import type { RequestContext, RequestHandler } from "@orchernetes/apiserver";
import { isPodTerminal } from "@orchernetes/component-helpers";
import type { Dialer } from "@orchernetes/kernel";
import type { DestinationResolver } from "../dial/destination-resolver.ts";
import { httpAgent, httpsAgent } from "../egress/dialled-agents.ts";
import { bracketed, type ProxyTarget, portNumber, proxyHttp } from "./http-proxy.ts";
import { linkRewriter } from "./link-rewriter.ts";
import type { NodeConnection } from "./node-connection.ts";
import { type ProxyPath, splitProxyPath } from "./proxy-path.ts";

/** Time until the response of a pod or a node's port must begin. */
const ANSWER_TIMEOUT_MS = 60_000;

interface Resolved extends Omit<ProxyTarget, "path"> {
  readonly timeoutMs: number;
}

type Resolve = (context: RequestContext, id: ProxyId) => Promise<Resolved>;

/** A name in a proxy path: `[scheme:]name[:port]`. */
export interface ProxyId {
  readonly scheme: "http:" | "https:";
  readonly name: string;
  readonly port: string;
}

/** @throws ApiError BadRequest */
function parseProxyId(text: string): ProxyId {
  const parts = text.split(":");
  const [first = "", second = "", third = ""] = parts;
  if (parts.length === 1) return { scheme: "http:", name: first, port: "" };
  if (parts.length === 2) return { scheme: "http:", name: first, port: second };
  if (parts.length === 3 && (first === "" || first === "http" || first === "https"))
    return { scheme: first === "https" ? "https:" : "http:", name: second, port: third };
  throw badRequest(`invalid proxy target "${text}"; it is [scheme:]name[:port] with scheme http or https`);
}

/** A `proxy` subresource whose destination `resolve` finds. */
export function proxyHandler(resolve: Resolve): RequestHandler {
  return {
    verbs: ["get", "create", "update", "patch", "delete"],
    longRunning: true,
    rawBody: true,
    async handle(context) {
      const { req, res, signal, requestInfo } = context;
      const { prefix, rest } = await admittedPath(context);
      const { timeoutMs, ...target } = await resolve(context, parseProxyId(requestInfo.name));
      const describe = `${bracketed(target.host)}:${target.port}`;
      const asked = req.headers.host ?? String(req.headers[":authority"] ?? "");
      await proxyHttp(
        req,
        res,
        { ...target, path: rest.startsWith("/") ? rest : `/${rest}` },
        { timeoutMs, signal, describe, redirects: "passed", links: linkRewriter(prefix, describe, asked) },
      );
      return { type: "streamed" };
    },
  };
}

/** The path of a request after admission, which sees and may change it as PodProxyOptions and the like. */
async function admittedPath(context: RequestContext): Promise<ProxyPath> {
  const { prefix, rest } = splitProxyPath(context.requestInfo);
  const [path = "", ...query] = rest.split(/(?=\?)/);
  const options: { readonly metadata: Record<string, never>; readonly path?: string } = { metadata: {}, path };
  await context.admit("CONNECT", options);
  if (options.path === path || (path === "" && options.path === undefined)) return { prefix, rest };
  const changed = (options.path ?? "").split("/").map(encodeURIComponent).join("/");
  return { prefix, rest: changed + query.join("") };
}

/** Pools of connections, by the scheme; undefined: that of the process. */
type Agents = Readonly<Record<ProxyId["scheme"], http.Agent | undefined>>;

/** No authority of this server signs the certificates of pods and of other ports of nodes, so no credentials are sent there. */
export const unverified = (dial: Dialer | undefined): Agents => ({
  "http:": httpAgent(dial),
  "https:": httpsAgent(dial, { rejectUnauthorized: false, maxCachedSessions: 0 }),
});

/** Settings for destinations to which the server sends no credentials. */
export function unauthenticated({ scheme }: ProxyId, agents: Agents): Omit<Resolved, "host" | "port"> {
  const agent = agents[scheme];
  return { protocol: scheme, ...(agent && { agent }), timeoutMs: ANSWER_TIMEOUT_MS };
}

/** `nodes/proxy`: the node's agent, or any other port of the node, which gets no credentials. */
export function nodeProxyHandler(nodes: NodeConnection): RequestHandler {
  const agents = unverified(nodes.dial);
  return proxyHandler(async ({ registry, signal }, id) => {
    await registry.forDefinition(core.nodes).get({ namespace: "", name: id.name }, { signal });
    const other = id.port === "" ? undefined : await nodes.locatePort(id.name, portNumber(id.port), registry, signal);
    if (other !== undefined) return { ...unauthenticated(id, agents), ...other };
    const address = await nodes.locate(id.name, registry, signal);
    return { protocol: "https:", ...address, agent: nodes.agent, timeoutMs: nodes.timeoutMs };
  });
}

/** The address in the status of a terminated pod may belong to another pod by now. */

/** `pods/proxy`: a port of a pod, the first declared one by default. */
export function podProxyHandler(destinations: DestinationResolver): RequestHandler {
  const agents = unverified(destinations.dial);
  return proxyHandler(async ({ registry, requestInfo, signal }, id) => {
    const pod = await registry
      .forDefinition(core.pods)
      .get({ namespace: requestInfo.namespace, name: id.name }, { signal });
    if (!pod.status.podIP) throw badRequest(`address not allowed: pod "${id.name}" has no IP yet`);
    if (isPodTerminal(pod))
      throw badRequest(`address not allowed: pod "${id.name}" has ended, its IP may be another pod's`);
    const ports = pod.spec.containers.flatMap((c) => c.ports ?? []);
    const named = id.port === "" ? ports[0] : ports.find((p) => p.name === id.port);
    const port = named?.containerPort ?? portNumber(id.port || "80");
    const destination = await destinations.resolve(pod.status.podIP, port, "global", `pod "${id.name}"`);
    return { ...unauthenticated(id, agents), ...destination };
  });
}
