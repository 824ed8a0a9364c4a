import type { Aggregator, GroupVersion, RequestInfo } from "../interfaces/index.ts";

/**
 * The group version of another server that a request is for: for its resources, or for its discovery document
 * `/apis/GROUP/VERSION`. Undefined: this server handles it, including `/apis/GROUP`, which may combine versions of
 * several servers.
 */
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

/**
 * Subresources whose requests last as long as the client wants, on whatever server they are. Definitions of the other
 * server's resources are unknown here, so upstream's default list decides.
 */
const lasting: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** Whether a request that is forwarded to another server has no time limit here. */
export function isRemoteLongRunning({ verb, subresource }: RequestInfo): boolean {
  return verb === "watch" || verb === "proxy" || lasting.has(subresource);
}
