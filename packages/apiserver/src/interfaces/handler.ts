import type { Duplex } from "node:stream";
import type { ApiObject, ResourceDefinition, Verb } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import type { AdmissionOperation } from "./admission.ts";
import type { Query } from "./query.ts";
import type { Registry } from "./registry.ts";
import type { RequestInfo } from "./request-info.ts";

/** One request as handlers see it, authenticated and authorized. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly requestInfo: RequestInfo;
  readonly query: Query;
  readonly definition: ResourceDefinition;
  /** The body decoded by the subresource's (or kind's) schema; undefined where no schema or no body was given. */
  readonly body: ApiObject | undefined;
  readonly dryRun: boolean;
  readonly registry: Registry;
  readonly now: Date;
  /** Aborted when the client disconnects, the request times out, or the server stops. */
  readonly signal: AbortSignal;
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  /** Adds a `Warning` header to the response (RFC 7234 §5.5, code 299). */
  readonly warn: (message: string) => void;
  /**
   * Runs all admission plugins on an operation; mutating ones change `object` in place. @throws ApiError of the plugin
   * that denies it
   */
  readonly admit: (
    operation: AdmissionOperation,
    object: ApiObject | undefined,
    oldObject?: ApiObject,
  ) => Promise<void>;
}

/** Result of a handler. */
export type HandlerResult =
  /** Encoded as the client requested (JSON, YAML, Table where the definition has columns). @default status 200 */
  | { readonly type: "object"; readonly object: object; readonly status?: number }
  /** Sends bytes unchanged. */
  | {
      readonly type: "bytes";
      readonly body: string | Uint8Array;
      readonly contentType: string;
      readonly status?: number;
    }
  /** The handler has written to `res` itself (streams, proxies). */
  | { readonly type: "streamed" };

/**
 * Serves a `type: "handler"` subresource, or a kind that is never stored. To reject a request it throws an ApiError.
 */
export interface RequestHandler {
  /** Verbs served; others get 405. */
  readonly verbs: readonly Verb[];
  /**
   * Whether requests may run long (log, exec, proxy): no timeout and no in-flight limit.
   * @default false
   */
  readonly longRunning?: boolean | ((info: RequestInfo, query: Query) => boolean);
  /** Whether the body is left unread for the handler. @default false */
  readonly rawBody?: boolean;
  /**
   * Whether clients may request the response over a WebSocket (logs). The handler writes it as usual.
   * @default false
   */
  readonly answersWebSockets?: boolean;
  /**
   * Serves one request, after authentication, authorization and decoding of the body. Admission is the handler's own
   * call.
   */
  handle(context: RequestContext): Promise<HandlerResult>;
  /** Serves `Upgrade` requests (exec, attach, portforward, proxy): the socket is the handler's from here on. */
  upgrade?(context: UpgradeContext): Promise<void>;
}

/** An HTTP/1.1 upgrade request, authenticated and authorized. */
export interface UpgradeContext extends Omit<RequestContext, "res"> {
  readonly socket: Duplex;
  /** First bytes the client sent after its headers. */
  readonly head: Buffer;
}

/** Handlers by `group/plural/subresource` (subresource "" for kinds), e.g. `/pods/log`, `authorization.o8s.io/subjectaccessreviews/`. */
export type HandlerTable = Readonly<Record<string, RequestHandler>>;

/** The key of {@link HandlerTable}. */
export function handlerKey(group: string, plural: string, subresource = ""): string {
  return `${group}/${plural}/${subresource}`;
}
