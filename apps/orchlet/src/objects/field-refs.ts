import type { core } from "@orchernetes/api";
import { milliValueOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";

/** What the downward API tells a pod beyond what is written in it. */
export interface PodFacts {
  readonly nodeName: string;
  readonly hostIPs: readonly string[];
  readonly podIPs: readonly string[];
  /** What counts for a container without a limit of its own, by resource. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/** @throws Error when the path is none that the downward API has */
export function fieldValue(pod: core.Pod, path: string, facts: PodFacts): string {
  const { metadata, spec } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (keyed !== null) {
    const map = (keyed[1] === "labels" ? metadata.labels : metadata.annotations) ?? {};
    const key = keyed[2] ?? "";
    return Object.hasOwn(map, key) ? (map[key] ?? "") : "";
  }
  switch (path) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "metadata.labels":
      return mapText(metadata.labels);
    case "metadata.annotations":
      return mapText(metadata.annotations);
    case "spec.nodeName":
      return facts.nodeName;
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "";
    case "spec.host":
      return facts.nodeName;
    case "status.hostIP":
      return facts.hostIPs[0] ?? "";
    case "status.podIP":
      return facts.podIPs[0] ?? "";
    case "status.podIPs":
      return facts.podIPs.join(",");
    default:
      throw new Error(`unsupported fieldPath: ${path}`);
  }
}

/** `key="value"` lines in the order of their keys. */
function mapText(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}

/**
 * A container's request or limit in units of the divisor, rounded up.
 * @throws Error when the container or the resource is unknown
 */
export function resourceValue(
  pod: core.Pod,
  ref: {
    readonly containerName?: string | undefined;
    readonly resource: string;
    readonly divisor?: string | undefined;
  },
  own: core.Container | undefined,
  facts: PodFacts,
): string {
  const { spec } = pod;
  const container = ref.containerName
    ? [...spec.containers, ...(spec.initContainers ?? [])].find(({ name }) => name === ref.containerName)
    : own;
  if (container === undefined) throw new Error(`container ${ref.containerName ?? ""} not found`);
  const [, kind, resource = ""] = /^(limits|requests)\.(.+)$/.exec(ref.resource) ?? [];
  if (kind === undefined) throw new Error(`unsupported container resource : ${ref.resource}`);
  const { limits = {}, requests = {} } = container.resources ?? {};
  const amount = kind === "limits" ? (limits[resource] ?? facts.allocatable[resource]) : requests[resource];
  const divisor = ref.divisor && ref.divisor !== "0" ? ref.divisor : "1";
  if (amount === undefined) return "0";
  const value =
    resource === "cpu"
      ? Math.ceil(milliValueOf(amount) / milliValueOf(divisor))
      : Math.ceil(wholeValueOf(amount) / wholeValueOf(divisor));
  return String(value);
}
