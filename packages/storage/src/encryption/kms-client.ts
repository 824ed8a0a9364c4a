import type { Client, ServiceError } from "@grpc/grpc-js";
import { hardenHttp2Clients } from "@orchernetes/kernel";
import { StoreError } from "../errors.ts";
import type { KmsRpc } from "./kms-messages.ts";
import type { KmsObserver } from "./kms-service.ts";

/** Connects to the service. gRPC is loaded on first use, because it costs start-up time and memory. */
async function connect(endpoint: string): Promise<Client> {
  const { Client, credentials } = await import("@grpc/grpc-js");
  hardenHttp2Clients();
  return new Client(endpoint, credentials.createInsecure(), {
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 2000,
    "grpc.default_authority": "localhost",
  });
}

/** Names of gRPC's status codes by their number, as Kubernetes' metrics contain them. */
const CODES: readonly string[] = [
  ...["OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists"],
  ...["PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented"],
  ...["Internal", "Unavailable", "DataLoss", "Unauthenticated"],
];

/** Calls a key management service on a unix socket. */
export class KmsClient {
  readonly #client: Promise<Client>;
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #observer: KmsObserver | undefined;

  /** @param options `endpoint` such as `unix:///path`; `timeoutMs` for each call */
  constructor(options: {
    readonly name: string;
    readonly endpoint: string;
    readonly timeoutMs: number;
    readonly observer?: KmsObserver | undefined;
  }) {
    this.#name = options.name;
    this.#timeoutMs = options.timeoutMs;
    this.#observer = options.observer;
    this.#client = connect(options.endpoint);
  }

  /** Makes one call. @throws StoreError `Unavailable` for every error, because a caller can only retry */
  async call<Request, Response>(rpc: KmsRpc<Request, Response>, request: Request): Promise<Response> {
    const method = rpc.path.slice(rpc.path.lastIndexOf("/") + 1);
    const from = performance.now();
    const ended = (code: number) =>
      this.#observer?.called(method, (performance.now() - from) / 1000, CODES[code] ?? "Unknown");
    const client = await this.#client;
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + this.#timeoutMs };
      const done = (error: ServiceError | null, response?: Response) => {
        ended(error?.code ?? 0);
        if (error === null && response !== undefined) resolve(response);
        else reject(this.#errorOf(rpc.path, error ?? new Error("no response")));
      };
      client.makeUnaryRequest(rpc.path, rpc.encode, rpc.decode, request, options, done);
    });
  }

  /** Closes the connection; calls in flight fail. */
  close(): void {
    void this.#client.then((client) => client.close());
  }

  #errorOf(path: string, cause: Error): StoreError {
    const what = `key management service ${JSON.stringify(this.#name)} did not answer ${path}: ${cause.message}`;
    return new StoreError("Unavailable", what, { cause });
  }
}
