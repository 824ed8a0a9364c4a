import type { core } from "@orchernetes/api";
import { goQuote, milliValueOf, quantityOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";

/** Values of the downward API that are not part of the Pod object. */
export interface PodFacts {
  readonly nodeName: string;
  readonly hostIPs: readonly string[];
  readonly podIPs: readonly string[];
  /** The node's allocatable resources: the effective limits of a container without its own. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/**
 * The value of a `fieldRef`. A label or annotation that the pod does not have gives "".
 *
 * @throws Error if the downward API does not support the path
 */
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

/** Formats labels or annotations as `key="value"` lines, sorted by key. */
function mapText(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .join("\n");
}

/** Resources whose limit defaults to the allocatable amount of the node. */
const nodeLimited: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

function effectiveLimit(
  limits: Readonly<Record<string, string>>,
  resource: string,
  { allocatable }: PodFacts,
): string | undefined {
  const own = limits[resource];
  const isLimited = own !== undefined && !quantityOf(own).isZero;
  return isLimited || !nodeLimited.has(resource) ? own : (allocatable[resource] ?? own);
}

/**
 * The value of a `resourceFieldRef`: a container's request or limit in units of the divisor, rounded up.
 *
 * @param own the container that the reference belongs to; undefined for volumes, whose references name a container
 * @throws Error if the container or the resource is unknown
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
  const amount = kind === "limits" ? effectiveLimit(limits, resource, facts) : requests[resource];
  const divisor = ref.divisor && ref.divisor !== "0" ? ref.divisor : "1";
  if (amount === undefined) return "0";
  const value =
    resource === "cpu"
      ? Math.ceil(milliValueOf(amount) / milliValueOf(divisor))
      : Math.ceil(wholeValueOf(amount) / wholeValueOf(divisor));
  return String(value);
}
