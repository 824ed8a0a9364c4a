import type { CallOptions, ClientDuplexStream, ClientUnaryCall, Metadata, ServiceError } from "@grpc/grpc-js";
import type {
  ICompactionRequest,
  ICompactionResponse,
  ILeaseGrantRequest,
  ILeaseGrantResponse,
  IRangeRequest,
  IRangeResponse,
  IStatusResponse,
  ITxnRequest,
  ITxnResponse,
  IWatchRequest,
  IWatchResponse,
} from "etcd3";

/** The unary calls of etcd that the store makes: service, request and response of each. */
export interface Calls {
  readonly range: { readonly service: "KV"; readonly request: IRangeRequest; readonly response: IRangeResponse };
  readonly txn: { readonly service: "KV"; readonly request: ITxnRequest; readonly response: ITxnResponse };
  readonly compact: {
    readonly service: "KV";
    readonly request: ICompactionRequest;
    readonly response: ICompactionResponse;
  };
  readonly leaseGrant: {
    readonly service: "Lease";
    readonly request: ILeaseGrantRequest;
    readonly response: ILeaseGrantResponse;
  };
  readonly status: { readonly service: "Maintenance"; readonly request: object; readonly response: IStatusResponse };
}

/** Which service a call belongs to. */
export const SERVICE_OF: { readonly [M in keyof Calls]: Calls[M]["service"] } = {
  range: "KV",
  txn: "KV",
  compact: "KV",
  leaseGrant: "Lease",
  status: "Maintenance",
};

/** A unary method of a client that grpc generated from etcd's definitions, which give it no types. */
export type UnaryMethod<M extends keyof Calls> = (
  request: Calls[M]["request"],
  metadata: Metadata,
  options: CallOptions,
  callback: (error: ServiceError | null, response: Calls[M]["response"]) => void,
) => ClientUnaryCall;

/** The generated client of the Watch service. */
export interface RawWatchClient {
  watch(metadata: Metadata, options: CallOptions): WatchCall;
}

/** A watch stream. */
export type WatchCall = ClientDuplexStream<IWatchRequest, IWatchResponse>;
