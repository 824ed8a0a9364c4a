import { core } from "@orchernetes/api";
import { type ApiObject, isNotFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import type { RemoteApiService } from "./api-service-table.ts";
import { decideAvailability, type Found, type Verdict } from "./availability-decision.ts";

/** Reads an object; errors are part of the result, because the condition reports them. */
async function find<T extends ApiObject>(
  registry: Registry,
  definition: ResourceDefinition<T>,
  { namespace, name }: RemoteApiService["service"],
): Promise<Found<T>> {
  try {
    return { object: (await registry.forDefinition(definition).get({ namespace, name })) as T };
  } catch (error) {
    return isNotFound(error) ? { object: undefined } : { error };
  }
}

/** Reads the Service and the Endpoints of an APIService and decides by them; undefined: the server itself must be asked. */
export async function judgeService(registry: Registry, remote: RemoteApiService): Promise<Verdict | undefined> {
  const { service } = remote;
  const [found, endpoints] = await Promise.all([
    find(registry, core.services, service),
    find(registry, core.endpoints, service),
  ]);
  return decideAvailability(remote, found, endpoints);
}
