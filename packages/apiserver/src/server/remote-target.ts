import type { Aggregator, GroupVersion, RequestInfo } from "../interfaces/index.ts";

/** The group version whose server a request is for: for its resources, or for `/apis/GROUP/VERSION` itself. Undefined: this one. */
export function remoteTarget(aggregator: Aggregator, info: RequestInfo): GroupVersion | undefined {
  if (info.isResourceRequest) {
    const { apiGroup: group, apiVersion: version } = info;
    return aggregator.serves(group, version) ? { group, version } : undefined;
  }
  if (!info.path.startsWith("/api")) return undefined;
  const [, prefix, first = "", second = "", ...rest] = info.path.split("/");
  const [group, version] = prefix === "apis" ? [first, second] : ["", first];
  if (prefix !== "apis" && (prefix !== "api" || second !== "")) return undefined;
  if (version === "" || rest.some((part) => part !== "")) return undefined;
  return aggregator.serves(group, version) ? { group, version } : undefined;
}

/** Subresources whose requests last as long as the client wants, regardless of the server. */
const lasting: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** Whether a request that is forwarded to another server has no time limit here. */
export function isRemoteLongRunning({ verb, subresource }: RequestInfo): boolean {
  return verb === "watch" || verb === "proxy" || lasting.has(subresource);
}
