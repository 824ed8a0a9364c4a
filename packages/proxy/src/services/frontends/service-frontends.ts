import type { core, discovery } from "@orchernetes/api";
import type { IpFamily } from "../objects/addresses.ts";
import { type EndpointsByPort, endpointsByPort, endpointsKey } from "../objects/endpoints.ts";
import type { TakenAddresses } from "../objects/external-addresses.ts";
import { type Report, serviceLimits } from "../objects/service-limits.ts";
import { type ServicePort, servicePorts } from "../objects/service-ports.ts";
import type { NodeFacts } from "../objects/settings.ts";
import { type EndpointRules, usableEndpoints } from "../objects/usable-endpoints.ts";
import { frontendId } from "./claims.ts";
import { type Frontend, frontendsOf } from "./frontends.ts";

/** What the frontends of a service depend on besides the service and its slices. */
export interface FrontendContext {
  readonly nodeName: string;
  readonly families: readonly IpFamily[];
  readonly node: NodeFacts;
  readonly endpointRules: EndpointRules;
  readonly taken: TakenAddresses;
}

/** The frontends of a service by the names of their addresses and ports, within the limits for one service. */
export function serviceFrontends(
  service: core.Service,
  slices: ReadonlyMap<string, discovery.EndpointSlice>,
  context: FrontendContext,
  report: Report,
): ReadonlyMap<string, Frontend> {
  const found = new Map<string, Frontend>();
  let count = 0;
  let elements = 0;
  for (const frontend of allFrontends(service, slices, context, report)) {
    count++;
    elements += elementCount(frontend);
    if (count > serviceLimits.frontends || elements > serviceLimits.elements) {
      const { frontends: most, elements: mostElements } = serviceLimits;
      report(
        `its addresses, ports and endpoints exceed ${most} frontends or ${mostElements} elements; the rest is not served`,
      );
      break;
    }
    const id = frontendId(frontend);
    if (!found.has(id)) found.set(id, frontend);
  }
  return found;
}

/** One after the other: all of them might be too many to have at once. */
function* allFrontends(
  service: core.Service,
  slices: ReadonlyMap<string, discovery.EndpointSlice>,
  { nodeName, families, node, endpointRules, taken }: FrontendContext,
  report: Report,
): Generator<Frontend> {
  for (const family of families) {
    const ports = servicePorts(service, family, taken, report);
    if (ports.length === 0) continue;
    const keys = new Set(ports.map(keyOf));
    const endpoints: EndpointsByPort = endpointsByPort(slices.values(), { family, nodeName, keys }, report);
    for (const port of ports) {
      const usable = usableEndpoints(endpoints.get(keyOf(port)) ?? [], port, endpointRules);
      yield* frontendsOf(port, family, usable, node);
    }
  }
}

const keyOf = ({ protocol, name }: ServicePort): string => endpointsKey(protocol, name);

/** The number of elements that a frontend has, approximately. */
const elementCount = ({ served }: Frontend): number =>
  served === undefined
    ? 1
    : 1 + served.endpoints.length + served.localEndpoints.length + (served.sourceRanges?.length ?? 0);
