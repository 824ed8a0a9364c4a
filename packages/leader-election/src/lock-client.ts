import type { Client } from "@orchernetes/client";

/**
 * The calls to the API server that leader election needs. Errors are `ApiError`s of apimachinery, so that "not found", "already
 * exists" and "conflict" can be distinguished.
 */
export interface LockClient {
  /** GETs an object. Rejects with "not found" when there is none. */
  get(path: string, signal: AbortSignal): Promise<unknown>;
  /** POSTs an object to a collection. */
  create(path: string, body: object, signal: AbortSignal): Promise<unknown>;
  /** PUTs an object that contains the resourceVersion at which it was read. */
  update(path: string, body: object, signal: AbortSignal): Promise<unknown>;
}

/** Makes a lock client from a client of the API server. */
export function lockClientOf(client: Client): LockClient {
  return {
    get: (path, signal) => client.request({ method: "GET", path, signal }),
    create: (path, body, signal) => client.request({ method: "POST", path, body, signal }),
    update: (path, body, signal) => client.request({ method: "PUT", path, body, signal }),
  };
}
