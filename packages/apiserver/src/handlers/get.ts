import { notFound } from "@orchernetes/apimachinery";
import { parseRevision } from "@orchernetes/storage";
import { negotiatedFor, type ResourceRequest } from "./endpoint.ts";
import { sendObject } from "./send-object.ts";

/**
 * GET of one object: the bytes of the cache, after a freshness check. With `resourceVersion=0` the check is omitted,
 * and with another version the cache has to reach at least that one.
 *
 * @throws ApiError NotFound; Timeout for a version in the future
 */
export async function handleGet(request: ResourceRequest): Promise<void> {
  const { state, served, ref, environment } = request;
  const negotiated = negotiatedFor(request);
  const version = state.info.query === "" ? null : state.query.get("resourceVersion");
  const revision = version === null || version === "" ? undefined : parseRevision(version);
  const found = await served.reader.get(ref, revision, state);
  if (found === undefined) throw notFound(served.resource, ref.name);
  const shown = served.direct ? found : await served.view(found, state);
  await sendObject(state, served.definition, 200, shown, negotiated, environment.clock.now());
}
