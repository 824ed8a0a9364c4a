import type { Client, ServiceError } from "@grpc/grpc-js";
import { StoreError } from "../errors.ts";
import type { KmsRpc } from "./kms-messages.ts";

/** Loads gRPC on first use, because it costs start-up time and memory. */
async function connect(endpoint: string): Promise<Client> {
  const { Client, credentials } = await import("@grpc/grpc-js");
  return new Client(endpoint, credentials.createInsecure(), {
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 2000,
    "grpc.default_authority": "localhost",
  });
}

/** Calls of a key management service on a unix socket. */
export class KmsClient {
  readonly #client: Promise<Client>;
  readonly #name: string;
  readonly #timeoutMs: number;

  /** @param endpoint `unix:///path` */
  constructor(name: string, endpoint: string, timeoutMs: number) {
    this.#name = name;
    this.#timeoutMs = timeoutMs;
    this.#client = connect(endpoint);
  }

  /** @throws StoreError `Unavailable` */
  async call<Request, Response>(rpc: KmsRpc<Request, Response>, request: Request): Promise<Response> {
    const client = await this.#client;
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + this.#timeoutMs };
      const done = (error: ServiceError | null, response?: Response) => {
        if (error === null && response !== undefined) resolve(response);
        else reject(this.#errorOf(rpc.path, error ?? new Error("no response")));
      };
      client.makeUnaryRequest(rpc.path, rpc.encode, rpc.decode, request, options, done);
    });
  }

  close(): void {
    void this.#client.then((client) => client.close());
  }

  #errorOf(path: string, cause: Error): StoreError {
    const what = `key management service ${JSON.stringify(this.#name)} did not answer ${path}: ${cause.message}`;
    return new StoreError("Unavailable", what, { cause });
  }
}
