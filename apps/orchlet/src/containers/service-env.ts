import type { core } from "@orchernetes/api";

/** The service of the API server, whose variables every pod gets. */
const masterService = { namespace: "default", name: "orchernetes" };

const hasClusterIP = (service: core.Service): boolean => {
  const ip = service.spec.clusterIP;
  return ip !== undefined && ip !== "" && ip !== "None";
};

/**
 * The environment variables for the services of a pod's namespace, and for the service of the API server, in the format
 * of Docker links. Headless services have none.
 *
 * @param links whether the services of the namespace are included (`enableServiceLinks`); the API server's always is
 */
export function serviceVariables(
  services: readonly core.Service[],
  namespace: string,
  links: boolean,
): readonly (readonly [string, string])[] {
  const chosen = new Map<string, core.Service>();
  const ofApi = (s: core.Service) =>
    s.metadata.namespace === masterService.namespace && s.metadata.name === masterService.name;
  for (const service of services) if (ofApi(service) && hasClusterIP(service)) chosen.set(masterService.name, service);
  for (const service of services) {
    const { name = "" } = service.metadata;
    if (links && service.metadata.namespace === namespace && hasClusterIP(service)) chosen.set(name, service);
  }
  return [...chosen.values()].flatMap(variablesOf);
}

function variablesOf(service: core.Service): readonly (readonly [string, string])[] {
  const { clusterIP = "", ports = [] } = service.spec;
  const prefix = envName(service.metadata.name ?? "");
  const [first] = ports;
  const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP;
  const variables: [string, string][] = [[`${prefix}_SERVICE_HOST`, clusterIP]];
  if (first === undefined) return variables;
  variables.push([`${prefix}_SERVICE_PORT`, String(first.port)]);
  for (const { name, port } of ports) {
    if (name) variables.push([`${prefix}_SERVICE_PORT_${envName(name)}`, String(port)]);
  }
  for (const [index, { port, protocol = "TCP" }] of ports.entries()) {
    const url = `${protocol.toLowerCase()}://${host}:${port}`;
    if (index === 0) variables.push([`${prefix}_PORT`, url]);
    const portPrefix = `${prefix}_PORT_${port}_${protocol}`;
    variables.push(
      [portPrefix, url],
      [`${portPrefix}_PROTO`, protocol.toLowerCase()],
      [`${portPrefix}_PORT`, String(port)],
      [`${portPrefix}_ADDR`, clusterIP],
    );
  }
  return variables;
}

const envName = (name: string): string => name.toUpperCase().replaceAll(/[-.]/g, "_");
