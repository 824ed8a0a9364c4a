import type { core } from "@orchernetes/api";
import { type ApiObject, badRequest, internalError } from "@orchernetes/apimachinery";
import type { RequestContext, RequestHandler, UpgradeContext } from "@orchernetes/apiserver";
import { messageOf } from "@orchernetes/kernel";
import { bracketed } from "./http-proxy.ts";
import type { NodeConnection } from "./node-connection.ts";
import { targetContainer, targetPod } from "./pod-target.ts";
import { portQuery, streamQuery } from "./stream-query.ts";
import { proxyUpgrade } from "./upgrade-proxy.ts";

function agentPath(pod: core.Pod, context: Pick<RequestContext, "query" | "requestInfo">): string {
  const { namespace = "", name = "" } = pod.metadata;
  const at = `${namespace}/${encodeURIComponent(name)}`;
  const { subresource } = context.requestInfo;
  if (subresource === "portforward") return `/portForward/${at}?${portQuery(context.query)}`;
  const container = targetContainer(pod, context.query.get("container"));
  return `/${subresource}/${at}/${encodeURIComponent(container)}?${streamQuery(context.query, subresource)}`;
}

async function prepare(
  context: Omit<RequestContext, "res">,
): Promise<{ readonly pod: core.Pod; readonly path: string }> {
  const pod = await targetPod(context);
  const path = agentPath(pod, context);
  if (!pod.spec.nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  const options: ApiObject & Record<string, unknown> = { metadata: {}, ...Object.fromEntries(context.query) };
  await context.admit("CONNECT", options, pod);
  return { pod, path };
}

/**
 * `pods/exec`, `pods/attach`, `pods/portforward`: the upgrade is handed to the pod's node agent byte for byte, whatever
 * protocol (SPDY or WebSocket) client and runtime agree on.
 */
export function podConnectHandler(nodes: NodeConnection): RequestHandler {
  return {
    verbs: ["get", "create"],
    longRunning: true,
    rawBody: true,
    async handle(context) {
      await prepare(context);
      throw badRequest("Upgrade request required");
    },
    async upgrade(context: UpgradeContext) {
      const { pod, path } = await prepare(context);
      const address = await nodes.locate(pod.spec.nodeName ?? "", context.registry, context.signal);
      const upstream = await nodes.connect(address).catch((error: unknown) => {
        throw internalError(new Error(`error dialing backend: ${messageOf(error)}`));
      });
      const cut = () => upstream.destroy();
      context.signal.addEventListener("abort", cut, { once: true });
      try {
        await proxyUpgrade({
          request: context.req,
          client: context.socket,
          clientHead: context.head,
          upstream,
          path,
          host: `${bracketed(address.name)}:${address.port}`,
          timeoutMs: nodes.timeoutMs,
        });
      } finally {
        context.signal.removeEventListener("abort", cut);
      }
    },
  };
}
