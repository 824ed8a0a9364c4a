import { notFound } from "@orchernetes/apimachinery";
import { parseRevision } from "@orchernetes/storage";
import { waitForRevision, waitFresh } from "../registry/read.ts";
import type { ResourceRequest } from "./endpoint.ts";
import { sendObject } from "./send-object.ts";

/**
 * GET of one object: the cache's bytes, after a freshness check unless `resourceVersion=0`.
 *
 * @throws ApiError NotFound
 */
export async function handleGet(request: ResourceRequest): Promise<void> {
  const { state, core, ref, environment } = request;
  const negotiated = environment.negotiator.negotiate(state.req.headers.accept);
  const version = state.info.query === "" ? null : state.query.get("resourceVersion");
  const revision = version === null || version === "" ? undefined : parseRevision(version);
  if (revision === undefined) await waitFresh(core);
  else if (revision === 0) await core.storage.cache.ready();
  else await waitForRevision(core, revision, state.signal);
  const entry = core.storage.cache.get(ref.namespace, ref.name);
  if (entry === undefined) throw notFound(core.resource, ref.name);
  const shown = core.entry(entry);
  const sendable = {
    json: shown.json,
    get object() {
      return core.view(core.storage.decoded(entry)).object;
    },
  };
  sendObject(state, core.definition, 200, sendable, negotiated, new Date(environment.clock.now()));
}
