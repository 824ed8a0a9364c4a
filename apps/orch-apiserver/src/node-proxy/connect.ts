import type { core } from "@orchernetes/api";
import { badRequest, internalError } from "@orchernetes/apimachinery";
import type { RequestContext, RequestHandler, UpgradeContext } from "@orchernetes/apiserver";
import { messageOf } from "@orchernetes/kernel";
import { withAdvice } from "./agent-advice.ts";
import { type ConnectOptions, connectOptions } from "./connect-options.ts";
import { bracketed } from "./http-proxy.ts";
import type { NodeConnection } from "./node-connection.ts";
import { targetContainer, targetPod } from "./pod-target.ts";
import { portQuery, streamQuery } from "./stream-query.ts";
import { proxyUpgrade } from "./upgrade-proxy.ts";

function agentPath(pod: core.Pod, subresource: string, options: ConnectOptions): string {
  const { namespace = "", name = "" } = pod.metadata;
  const at = `${namespace}/${encodeURIComponent(name)}`;
  if (subresource === "portforward") return `/portForward/${at}?${portQuery(options)}`;
  const container = targetContainer(pod, options.container ?? null);
  return `/${subresource}/${at}/${encodeURIComponent(container)}?${streamQuery(options, subresource)}`;
}

async function prepare(
  context: Omit<RequestContext, "res">,
): Promise<{ readonly pod: core.Pod; readonly path: string }> {
  const options = connectOptions(context.query);
  await context.admit("CONNECT", options);
  const pod = await targetPod(context);
  const path = agentPath(pod, context.requestInfo.subresource, options);
  if (!pod.spec.nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
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
        throw internalError(new Error(`error dialing backend: ${withAdvice(messageOf(error), error)}`));
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
