import { defineResource } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import {
  ingressClassAnnotation,
  validateIngress,
  validateIngressCreate,
  validateIngressStatus,
} from "./ingress-validation.ts";
import { Ingress } from "./types.ts";

const maxHosts = 3;
const addressWidth = 16;

function hostsText({ spec }: Ingress): string {
  const rules = spec.rules ?? [];
  const hosts = rules.flatMap(({ host }) => (host === undefined || host === "" ? [] : [host]));
  if (hosts.length === 0) {
    return "*";
  }
  const shown = hosts.slice(0, maxHosts).join(",");
  return hosts.length > maxHosts ? `${shown} + ${rules.length - maxHosts} more...` : shown;
}

function addressText({ status }: Ingress): string {
  const addresses = (status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  const text = [...new Set(addresses)].filter((address) => address !== "").join(",");
  return text.length > addressWidth ? `${text.slice(0, addressWidth - 3)}...` : text;
}

function classWarnings(annotations: Readonly<Record<string, string>> | undefined): string[] {
  return Object.hasOwn(annotations ?? {}, ingressClassAnnotation)
    ? [`annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
    : [];
}

/** `networking.o8s.io/v1` Ingresses: route requests from outside to services, by host and path. */
export const ingresses = defineResource<Ingress>({
  group: "networking.o8s.io",
  version: "v1",
  kind: "Ingress",
  plural: "ingresses",
  singular: "ingress",
  shortNames: ["ing"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Ingress,
  storagePrefix: "/registry/ingress",
  strategy: {
    prepareForCreate: (ingress) => {
      ingress.status = { loadBalancer: {} };
    },
    validate: validateIngressCreate,
    prepareForUpdate: (ingress, old) => keep(ingress, old, "status"),
    validateUpdate: validateIngress,
    warnings: ({ metadata }, old) => (old === undefined ? classWarnings(metadata.annotations) : []),
    generation: ({ spec }) => spec,
  },
  columns: [
    name(),
    column("Class", "string", "Class whose controller serves it.", ({ spec }) => spec.ingressClassName ?? "<none>"),
    column("Hosts", "string", "Hosts that it routes.", hostsText),
    column("Address", "string", "Addresses at which it can be reached.", addressText),
    column("Ports", "string", "Ports at which it can be reached.", ({ spec }) =>
      (spec.tls ?? []).length > 0 ? "80, 443" : "80",
    ),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (ingress, old) => keep(ingress, old, "spec"),
        validateUpdate: validateIngressStatus,
      },
    },
  },
});
