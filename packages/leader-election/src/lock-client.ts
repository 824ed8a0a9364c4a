import type { Client } from "@orchernetes/client";

/**
 * What leader election needs of the API server. Errors are `ApiError`s of apimachinery, so that "not found", "already exists"
 * and "conflict" can be told apart.
 */
export interface LockClient {
  get(path: string, signal: AbortSignal): Promise<unknown>;
  /** POSTs an object to a collection. */
  create(path: string, body: object, signal: AbortSignal): Promise<unknown>;
  /** PUTs an object that bears the resourceVersion it was read at. */
  update(path: string, body: object, signal: AbortSignal): Promise<unknown>;
}

/** The lock client over a client of the API server. */
export function lockClientOf(client: Client): LockClient {
  return {
    get: (path, signal) => client.request({ method: "GET", path, signal }),
    create: (path, body, signal) => client.request({ method: "POST", path, body, signal }),
    update: (path, body, signal) => client.request({ method: "PUT", path, body, signal }),
  };
}
