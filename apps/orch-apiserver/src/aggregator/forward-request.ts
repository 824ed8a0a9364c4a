import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type HttpRequest, type HttpResponse, isGone } from "@orchernetes/kernel";
import { bodyForm, framed } from "../node-proxy/body-framing.ts";
import { CORS_HEADERS } from "../node-proxy/http-proxy.ts";
import { beginRequest, type ExtensionRequest, refuseSwitch } from "./extension-request.ts";

/** Headers of a response that are for one connection only, and those that this server writes itself. */
const NOT_RELAYED: ReadonlySet<string> = new Set([
  ...CORS_HEADERS,
  "audit-id",
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The error for a redirect, in upstream's words. A server must not send clients, with their credentials, to an address of its choice. */
export const redirectRefused = "the backend attempted to redirect this request, which is not permitted";

/** Options of {@link forwardRequest}. */
export interface ForwardOptions extends Omit<ExtensionRequest, "method"> {
  readonly rejectRedirects: boolean;
  /** Called with the connection that the response comes over. */
  readonly onConnection?: (socket: Socket) => void;
}

/**
 * Forwards a request to another server and its response to the client, both as streams. Resolves when the response is complete or the
 * client has disconnected.
 *
 * @throws Error if there is no response; nothing has been written then
 */
export async function forwardRequest(
  request: HttpRequest,
  response: HttpResponse,
  options: ForwardOptions,
): Promise<void> {
  const answer = await askedOnce(request, options, true);
  options.onConnection?.(answer.socket);
  await relay(answer, response, options.rejectRedirects);
}

/** Sends the request. A request without a body is repeated once if the server had closed the kept connection (@param mayRepeat). */
function askedOnce(request: HttpRequest, options: ForwardOptions, mayRepeat: boolean): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method = "GET" } = request;
    const form = bodyForm(request);
    const outgoing = beginRequest({ ...options, method, headers: framed(options.headers, form) });
    outgoing.on("response", resolve);
    refuseSwitch(outgoing, reject);
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // The other side may close an idle connection at the moment when it is used again.
      const wasIdle = outgoing.reusedSocket && error.code === "ECONNRESET";
      const repeatable = mayRepeat && form === "none" && (method === "GET" || method === "HEAD");
      if (wasIdle && repeatable && !options.signal.aborted) resolve(askedOnce(request, options, false));
      else reject(error);
    });
    if (form === "none") {
      outgoing.end();
      return;
    }
    request.on("error", () => outgoing.destroy());
    request.on("aborted", () => outgoing.destroy(new Error("the client disconnected")));
    request.pipe(outgoing);
  });
}

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400 && (headers.location ?? "") !== "";
}

/** Copies a response to the client. */
function relay(answer: IncomingMessage, response: HttpResponse, rejectRedirects: boolean): Promise<void> {
  if (rejectRedirects && isRedirect(answer)) {
    answer.destroy();
    sendText(response, 502, redirectRefused);
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const status = answer.statusCode ?? 0;
    response.statusCode = status >= 200 && status < 600 ? status : 502;
    const ofConnection = new Set((answer.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
    try {
      for (const [name, value] of Object.entries(answer.headers))
        if (value !== undefined && !NOT_RELAYED.has(name) && !ofConnection.has(name)) response.setHeader(name, value);
    } catch (error) {
      answer.destroy();
      throw error;
    }
    // The client of a watch gets the head before the first event.
    response.flushHeaders();
    // An incomplete response must not look like a complete one.
    answer.on("error", (error) => response.destroy(error));
    answer.on("aborted", () => response.destroy());
    const left = () => {
      answer.destroy();
      resolve();
    };
    response.on("close", left);
    if (isGone(response)) left();
    response.on("finish", resolve);
    answer.pipe(response);
  });
}

/** Responds with a line of text. Nothing is written if a response has begun or the client has disconnected. */
export function sendText(response: HttpResponse, code: number, text: string): void {
  if (response.headersSent || isGone(response)) return;
  const body = `${text}\n`;
  response.writeHead(code, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
