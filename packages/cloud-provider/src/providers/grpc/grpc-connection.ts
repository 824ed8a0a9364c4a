import { readFileSync } from "node:fs";
import { type ChannelCredentials, Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { type Clock, hardenHttp2Clients } from "@orchernetes/kernel";
import type { CallContext } from "../../provider/cloud-provider.ts";
import { type CloudResult, failed, succeeded } from "../../provider/cloud-result.ts";
import type { GrpcSettings } from "./grpc-settings.ts";
import { type Fields, type ProtocolMethod, protocolMethods } from "./protocol.ts";
import { errorCodeOf } from "./wire.ts";

/** Largest response: ten thousand routes have about 2 MB. */
const maxResponseBytes = 16 * 1024 * 1024;

/** Largest request: the nodes behind a load balancer. */
const maxRequestBytes = 64 * 1024 * 1024;

/** A connection to the process of a provider. It is opened by the first call, and again whenever it was lost. */
export class GrpcConnection {
  readonly #client: Client;
  readonly #methods: ReadonlyMap<string, ProtocolMethod> = protocolMethods();
  readonly #clock: Clock;

  constructor({ endpoint, tls }: GrpcSettings, clock: Clock) {
    this.#clock = clock;
    hardenHttp2Clients();
    const isUnix = endpoint.startsWith("unix:");
    const target = isUnix ? `unix:${endpoint.slice("unix://".length)}` : `dns:///${endpoint.slice("https://".length)}`;
    this.#client = new Client(target, tls === undefined ? credentials.createInsecure() : mutualTls(tls), {
      ...(isUnix ? { "grpc.default_authority": "localhost" } : {}),
      "grpc.max_receive_message_length": maxResponseBytes,
      "grpc.max_send_message_length": maxRequestBytes,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 5000,
      // A peer that vanished without a word is noticed.
      "grpc.keepalive_time_ms": 30_000,
      "grpc.keepalive_timeout_ms": 10_000,
      "grpc.enable_retries": 0,
    });
  }

  /** Calls a method; its response is read by `read`. Never rejects. */
  async call<T>(
    name: string,
    request: Fields,
    { signal, deadlineMs }: CallContext,
    read: (response: Fields) => T,
  ): Promise<CloudResult<T>> {
    const method = this.#methods.get(name);
    if (method === undefined) return failed("NotImplemented", `there is no method ${name}`);
    // The clock of the library is that of the system.
    const deadline = Date.now() + Math.max(0, deadlineMs - this.#clock.nowMs());
    return new Promise((resolve) => {
      const call = this.#client.makeUnaryRequest<Fields, Fields>(
        method.path,
        method.encodeRequest,
        method.decodeResponse,
        request,
        new Metadata(),
        { deadline },
        (error, response) => {
          signal.removeEventListener("abort", cancel);
          if (error !== null) resolve(failed(errorCodeOf(error.code), textOf(error)));
          else
            resolve(response === undefined ? failed("InvalidAnswer", "an empty response") : succeeded(read(response)));
        },
      );
      const cancel = (): void => call.cancel();
      if (signal.aborted) cancel();
      signal.addEventListener("abort", cancel, { once: true });
    });
  }

  close(): void {
    this.#client.close();
  }
}

const textOf = ({ details, message }: ServiceError): string => details || message;

function mutualTls({ caFile, keyFile, certFile }: NonNullable<GrpcSettings["tls"]>): ChannelCredentials {
  return credentials.createSsl(readFileSync(caFile), readFileSync(keyFile), readFileSync(certFile));
}
