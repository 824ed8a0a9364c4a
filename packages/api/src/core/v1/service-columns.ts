import type { Column } from "@orchernetes/apimachinery";
import { age, column, formatLabels, name, orNone } from "../../shared/columns.ts";
import type { Service } from "./types/service.ts";

/**
 * The addresses at which clients outside the cluster reach the service; `<pending>` until a load balancer reports its
 * own.
 */
function externalIP({ spec, status }: Service): string {
  const own = spec.externalIPs ?? [];
  switch (spec.type) {
    case "ExternalName":
      return spec.externalName ?? "";
    case "LoadBalancer": {
      const given = (status.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
      const all = [...given.filter((address) => address !== ""), ...own];
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    default:
      return orNone(own.join(","));
  }
}

function ports({ spec }: Service): string {
  const texts = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return orNone(texts.join(","));
}

/** Columns of service tables. */
export const serviceColumns: readonly Column<Service>[] = [
  name(),
  column("Type", "string", "How the service is exposed.", ({ spec }) => spec.type ?? ""),
  column("Cluster-IP", "string", "First address in the cluster.", ({ spec }) =>
    orNone(spec.clusterIPs?.[0] ?? spec.clusterIP),
  ),
  column("External-IP", "string", "Addresses from outside.", externalIP),
  column("Port(s)", "string", "Ports with their node ports and protocols.", ports),
  age(),
  column("Selector", "string", "Labels of the pods behind it.", ({ spec }) => formatLabels(spec.selector), 1),
];
