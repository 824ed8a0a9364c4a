import type { RequestHandler } from "@orchernetes/apiserver";
import { proxyHttp } from "./http-proxy.ts";
import { logQuery } from "./log-options.ts";
import type { NodeConnection } from "./node-connection.ts";
import { targetContainer, targetPod } from "./pod-target.ts";

/** `pods/log`: passed through from the pod's node agent. */
export function podLogHandler(nodes: NodeConnection): RequestHandler {
  return {
    verbs: ["get"],
    longRunning: true,
    answersWebSockets: true,
    async handle(context) {
      const { query, registry, signal, req, res } = context;
      const pod = await targetPod(context);
      const { namespace = "", name = "" } = pod.metadata;
      const passed = logQuery(query, name);
      const container = targetContainer(pod, query.get("container"));
      // Nothing runs yet, so there is nothing to read.
      if (!pod.spec.nodeName) return { type: "bytes", body: "", contentType: "text/plain", status: 204 };
      const address = await nodes.locate(pod.spec.nodeName, registry, signal);
      const path = `/containerLogs/${namespace}/${encodeURIComponent(name)}/${encodeURIComponent(container)}?${passed}`;
      await proxyHttp(
        req,
        res,
        { protocol: "https:", ...address, path, agent: nodes.agent },
        {
          timeoutMs: nodes.timeoutMs,
          signal,
          describe: `the node agent at ${address.host}:${address.port}`,
          redirects: "refused",
          isAgent: true,
        },
      );
      return { type: "streamed" };
    },
  };
}
