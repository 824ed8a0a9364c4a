import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { StoreError } from "../errors.ts";
import type { KmsRpc } from "./kms-messages.ts";

/** Calls of a key management service on a unix socket. */
export class KmsClient {
  readonly #client: Client;
  readonly #name: string;
  readonly #timeoutMs: number;

  /** @param endpoint `unix:///path` */
  constructor(name: string, endpoint: string, timeoutMs: number) {
    this.#name = name;
    this.#timeoutMs = timeoutMs;
    this.#client = new Client(endpoint, credentials.createInsecure(), {
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 2000,
      "grpc.default_authority": "localhost",
    });
  }

  /** @throws StoreError `Unavailable` */
  call<Request, Response>(rpc: KmsRpc<Request, Response>, request: Request): Promise<Response> {
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + this.#timeoutMs };
      const done = (error: ServiceError | null, response?: Response) => {
        if (error === null && response !== undefined) resolve(response);
        else reject(this.#fault(rpc.path, error ?? new Error("no response")));
      };
      this.#client.makeUnaryRequest(rpc.path, rpc.encode, rpc.decode, request, options, done);
    });
  }

  close(): void {
    this.#client.close();
  }

  #fault(path: string, cause: Error): StoreError {
    const what = `key management service ${JSON.stringify(this.#name)} did not answer ${path}: ${cause.message}`;
    return new StoreError("Unavailable", what, { cause });
  }
}
