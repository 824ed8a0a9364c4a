import { setTimeout as sleep } from "node:timers/promises";
import { assertNever } from "@orchernetes/kernel";
import { type ApiResponse, type RawObject, type Requests, seenOf } from "./api-access.ts";
import type { Operation, Outcome, Request } from "./history.ts";

/** Longest pause between two requests of a client. */
const PAUSE_MS = 8;

/**
 * A client that reads and writes a few random keys, one request after the other, until the signal aborts. Each
 * request is recorded when it has ended.
 *
 * @param random returns numbers in [0, 1); the same sequence makes the same choices for the same responses
 */
export async function runTraffic(
  client: number,
  access: Requests,
  keys: readonly string[],
  random: () => number,
  signal: AbortSignal,
  onOperation: (operation: Operation) => void = () => undefined,
): Promise<Operation[]> {
  const operations: Operation[] = [];
  const known = new Map<string, number>();
  for (let count = 0; !signal.aborted; count++) {
    const key = keys[Math.floor(random() * keys.length)] ?? "";
    const request = nextRequest(key, `${client}-${count}`, known.get(key), random());
    const startMs = performance.now();
    const outcome = await perform(access, request);
    const operation = { client, request, outcome, startMs, endMs: performance.now() };
    operations.push(operation);
    onOperation(operation);
    if (outcome.type === "ok" && outcome.seen !== undefined) known.set(key, outcome.seen.revision);
    // The state of the key is unknown after an error, so the next request on it is a create or a get.
    else if ("key" in request) known.delete(key);
    await sleep(random() * PAUSE_MS);
  }
  return operations;
}

/** Chooses a request: a list in one of ten, then mostly writes that expect the last version seen. */
function nextRequest(key: string, id: string, expected: number | undefined, dice: number): Request {
  if (dice < 0.1) return { type: "list" };
  if (expected === undefined) return dice < 0.55 ? { type: "create", key, id } : { type: "get", key };
  if (dice < 0.3) return { type: "get", key };
  return dice < 0.85 ? { type: "update", key, id, expected } : { type: "delete", key, expected };
}

/** Sends the request and returns what is certain about its outcome. Never rejects. */
export async function perform(access: Requests, request: Request): Promise<Outcome> {
  try {
    return outcomeOf(request, await send(access, request));
  } catch {
    return { type: "unknown" };
  }
}

function send(access: Requests, request: Request): Promise<ApiResponse> {
  const { path } = access;
  switch (request.type) {
    case "get":
      return access.send("GET", `${path}/${request.key}`);
    case "list":
      return access.send("GET", path);
    case "create":
      return access.send("POST", path, object(request.key, request.id));
    case "update":
      return access.send("PUT", `${path}/${request.key}`, object(request.key, request.id, request.expected));
    case "delete":
      return access.send("DELETE", `${path}/${request.key}`, {
        kind: "DeleteOptions",
        apiVersion: "v1",
        preconditions: { resourceVersion: String(request.expected) },
      });
    default:
      return assertNever(request);
  }
}

function object(name: string, id: string, expected?: number): unknown {
  const metadata = expected === undefined ? { name } : { name, resourceVersion: String(expected) };
  return { kind: "ConfigMap", apiVersion: "v1", metadata, data: { id } };
}

/** 409 and 429 are sent before anything is written; after other errors the outcome is unknown. */
function outcomeOf(request: Request, { code, body }: ApiResponse): Outcome {
  if (code === 404) return { type: "notFound" };
  if (code === 409 || code === 429) return { type: "refused" };
  if (code >= 400) return { type: "unknown" };
  if (request.type === "delete") return { type: "ok" };
  if (request.type !== "list") return { type: "ok", seen: seenOf(body) };
  const list = body as { readonly metadata: RawObject["metadata"]; readonly items: readonly unknown[] };
  return { type: "listed", revision: Number(list.metadata.resourceVersion), items: list.items.map(seenOf) };
}
