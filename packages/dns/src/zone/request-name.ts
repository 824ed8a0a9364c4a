/**
 * What a name below the cluster domain asks for (DNS specification 1.1.0). `service` and `pod` names may be of objects
 * that do not exist.
 */
export type RequestName =
  /** The zone itself, and names that only have others below them: `svc`, `pod`, `dns`. */
  | { readonly kind: "container" }
  | { readonly kind: "version" }
  | { readonly kind: "nameServer" }
  | { readonly kind: "namespace"; readonly namespace: string }
  | { readonly kind: "pod"; readonly namespace: string; readonly label: string }
  | { readonly kind: "service"; readonly namespace: string; readonly service: string }
  | { readonly kind: "endpoint"; readonly namespace: string; readonly service: string; readonly label: string }
  /** `_tcp.SERVICE…`, which only has the names of ports below it. */
  | { readonly kind: "protocol"; readonly namespace: string; readonly service: string; readonly protocol: string }
  | {
      readonly kind: "port";
      readonly namespace: string;
      readonly service: string;
      readonly protocol: string;
      readonly port: string;
    }
  | { readonly kind: "unknown" };

/**
 * Reads a name.
 *
 * @param prefix the part before the cluster domain, in lower case; "" for the domain itself
 */
export function parseRequestName(prefix: string): RequestName {
  if (prefix === "" || prefix === "svc" || prefix === "pod" || prefix === "dns") return { kind: "container" };
  if (prefix === "dns-version") return { kind: "version" };
  if (prefix === "ns.dns") return { kind: "nameServer" };
  const labels = prefix.split(".");
  const type = labels.pop();
  const namespace = labels.pop();
  if ((type !== "svc" && type !== "pod") || namespace === undefined) return { kind: "unknown" };
  const last = labels.pop();
  if (last === undefined) return { kind: "namespace", namespace };
  if (type === "pod") return labels.length === 0 ? { kind: "pod", namespace, label: last } : { kind: "unknown" };
  return belowService({ namespace, service: last }, labels);
}

function belowService(of: { readonly namespace: string; readonly service: string }, labels: string[]): RequestName {
  const [first, second, third] = labels;
  if (first === undefined) return { kind: "service", ...of };
  if (second === undefined) {
    return first.startsWith("_")
      ? { kind: "protocol", ...of, protocol: first.slice(1) }
      : { kind: "endpoint", ...of, label: first };
  }
  return third === undefined && first.startsWith("_") && second.startsWith("_")
    ? { kind: "port", ...of, port: first.slice(1), protocol: second.slice(1) }
    : { kind: "unknown" };
}
