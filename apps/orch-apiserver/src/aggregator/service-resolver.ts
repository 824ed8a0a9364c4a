import { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";

/** The address of a server. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** Value of the Host header, if it differs from `host`. */
  readonly name?: string;
}

/** How a service is reached: at its cluster IP, or, with `--enable-aggregator-routing`, at one of its endpoints. */
export type Routing = "cluster-ip" | "endpoints";

/** A reference to a port of a service. */
interface Remote {
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
}

/** Reads the Service. @throws ApiError NotFound */
async function serviceOf(registry: Registry, { service }: Remote): Promise<core.Service> {
  const { namespace, name } = service;
  return await registry.forDefinition(core.services).get({ namespace, name });
}

const withAddress = new Set(["ClusterIP", "LoadBalancer", "NodePort"]);

/** Returns the port of a Service by its number. */
function servicePort(spec: core.ServiceSpec, { service }: Remote): core.ServicePort {
  const found = spec.ports?.find(({ port }) => port === service.port);
  if (found === undefined) throw new Error(`no service port ${service.port} found for service "${service.name}"`);
  return found;
}

/** Returns the addresses of the ready endpoints that have a port of this name. */
export function readyEndpoints(endpoints: core.Endpoints | undefined, portName: string): readonly Address[] {
  return (endpoints?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
    const port = ports.find(({ name = "" }) => name === portName)?.port;
    return port === undefined ? [] : addresses.map(({ ip }) => ({ host: ip, port }));
  });
}

/** Returns the cluster IP of a Service, or the name of an external one. */
function clusterAddress({ spec }: core.Service, remote: Remote): Address {
  const type = spec.type ?? "ClusterIP";
  if (type === "ExternalName") return { host: spec.externalName ?? "", port: remote.service.port };
  if (!withAddress.has(type)) throw new Error(`unsupported service type "${type}"`);
  const host = spec.clusterIP ?? "";
  if (host === "None" || host === "") throw new Error('cannot route to service with ClusterIP "None"');
  return { host, port: servicePort(spec, remote).port };
}

/**
 * Returns an address of the server behind a service. With routing `endpoints` it is that of a random ready endpoint.
 *
 * @throws ApiError NotFound if the Service does not exist, Error if it has no usable address
 */
export async function resolveService(registry: Registry, remote: Remote, routing: Routing): Promise<Address> {
  const service = await serviceOf(registry, remote);
  if (routing === "cluster-ip") return clusterAddress(service, remote);
  const type = service.spec.type ?? "ClusterIP";
  if (!withAddress.has(type)) throw new Error(`unsupported service type "${type}"`);
  const port = servicePort(service.spec, remote);
  const { namespace, name } = remote.service;
  const endpoints = await registry
    .forDefinition(core.endpoints)
    .get({ namespace, name })
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const ready = readyEndpoints(endpoints, port.name ?? "");
  const chosen = ready[Math.floor(Math.random() * ready.length)];
  if (chosen === undefined) throw new Error(`no endpoints available for service "${name}"`);
  return chosen;
}
