import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { respond } from "@orchernetes/component";
import type { CriClient } from "@orchernetes/cri";
import { type Clock, type HttpRequest, type HttpResponse, messageOf } from "@orchernetes/kernel";
import { latestContainer } from "../../runtime/pod-runtime.ts";
import type { RuntimeReader } from "../../runtime/runtime-reader.ts";
import { allContainers } from "../../types/pod-identity.ts";
import { isPathPart } from "../../util/paths.ts";
import { HttpError, respondText } from "../requests/http-error.ts";
import type { PodLookup } from "./pod-lookup.ts";

/** The container of a request, and its parameters. */
export interface CheckpointTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly query: URLSearchParams;
}

/**
 * Serves `POST /checkpoint/{namespace}/{pod}/{container}` (KEP-2008): the runtime writes the state of the container to a file below the
 * agent's root folder, whose path is the response. Only the owner of the folder can read it: it contains the container's memory.
 *
 * Status codes and texts are the original's, among them 404 for an invalid timeout and 500 if the runtime cannot do it.
 */
export async function serveCheckpoint(
  { namespace, pod, container, query }: CheckpointTarget,
  deps: {
    readonly lookup: PodLookup;
    readonly reader: Pick<RuntimeReader, "read">;
    readonly cri: Pick<CriClient, "runtime">;
    /** Folder of the files; created if it is missing. */
    readonly folder: string;
    readonly clock: Pick<Clock, "now">;
  },
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const worker = podOf(deps.lookup, namespace, pod);
  if (worker?.pod === undefined) return respondText(request, response, 404, "pod does not exist");
  if (!allContainers(worker.pod).some((one) => one.container.name === container))
    return respondText(request, response, 404, `container ${container} does not exist`);
  const given = query.getAll("timeout").at(-1);
  if (given !== undefined && !/^-?\d{1,15}$/.test(given))
    return respondText(request, response, 404, "cannot parse value of timeout parameter");
  const location = join(deps.folder, fileName(pod, namespace, container, deps.clock.now()));
  try {
    const { id } = latestContainer(await deps.reader.read(worker.identity), container) ?? {};
    if (id === undefined) throw new Error("container not found");
    await mkdir(deps.folder, { recursive: true, mode: 0o700 });
    await deps.cri.runtime.checkpointContainer({ containerId: id, location, timeout: Math.max(0, Number(given ?? 0)) });
  } catch (error) {
    const what = `checkpointing of ${namespace}/${pod}/${container} failed (${messageOf(error)})`;
    return respondText(request, response, 500, what);
  }
  respond(request, response, 200, { "content-type": "application/json" }, JSON.stringify({ items: [location] }));
}

function podOf(lookup: PodLookup, namespace: string, pod: string) {
  try {
    return lookup.pod(namespace, pod);
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return undefined;
    throw error;
  }
}

/** @throws HttpError 400 for names that cannot be part of a file's name; no pod of the API has such a name */
function fileName(pod: string, namespace: string, container: string, now: Date): string {
  const name = `checkpoint-${pod}_${namespace}-${container}-${now.toISOString().replace(/\.\d+Z$/, "Z")}.tar`;
  if (!isPathPart(name)) throw new HttpError(400, "invalid name of a pod or container");
  return name;
}
