import { core } from "@orchernetes/api";
import { isNotFound, serviceUnavailable } from "@orchernetes/apimachinery";
import type { Registry, RequestHandler } from "@orchernetes/apiserver";
import { isPodTerminal } from "@orchernetes/component-helpers";
import type { DestinationResolver } from "../dial/destination-resolver.ts";
import { proxyHandler, unauthenticated, unverified } from "./proxy.ts";

/**
 * Whether an address of an Endpoints object is that of the pod it names. Otherwise, write access to the object would let clients
 * direct the server to any address.
 */
async function isOfItsPod(
  { ip, targetRef }: core.EndpointAddress,
  namespace: string,
  ...[registry, signal]: [Registry, AbortSignal]
): Promise<boolean> {
  if (targetRef?.kind !== "Pod" || targetRef.namespace !== namespace || !targetRef.name) return false;
  try {
    const pod = await registry.forDefinition(core.pods).get({ namespace, name: targetRef.name }, { signal });
    const { podIP, podIPs = [] } = pod.status;
    return !isPodTerminal(pod) && (podIP === ip || podIPs.some((own) => own.ip === ip));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** `services/proxy`: any ready pod of a service. */
export function serviceProxyHandler(destinations: DestinationResolver): RequestHandler {
  const agents = unverified(destinations.dial);
  return proxyHandler(async ({ registry, requestInfo, signal }, id) => {
    const { namespace } = requestInfo;
    const ref = { namespace, name: id.name };
    const service = await registry.forDefinition(core.services).get(ref, { signal });
    const servicePort = service.spec.ports?.find((p) =>
      id.port === "" ? true : p.name === id.port || String(p.port) === id.port,
    );
    if (servicePort === undefined)
      throw serviceUnavailable(`no service port "${id.port}" found for service "${id.name}"`);
    const endpoints = await registry
      .forDefinition(core.endpoints)
      .get(ref, { signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    for (const { addresses = [], ports = [] } of endpoints?.subsets ?? []) {
      const port = ports.find((p) => (p.name ?? "") === (servicePort.name ?? ""));
      if (port === undefined) continue;
      // Nearly always the first one belongs to a pod; looking all of them up would cost a request each.
      const first = Math.floor(Math.random() * addresses.length);
      for (const address of [...addresses.slice(first), ...addresses.slice(0, first)]) {
        if (!(await isOfItsPod(address, namespace, registry, signal))) continue;
        const destination = await destinations.resolve(address.ip, port.port, "global", `service "${id.name}"`);
        return { ...unauthenticated(id, agents), ...destination };
      }
    }
    throw serviceUnavailable(`no endpoints available for service "${id.name}"`);
  });
}
