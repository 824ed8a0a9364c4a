import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type HttpRequest, type HttpResponse, isGone } from "@orchernetes/kernel";
import { bodyForm, framed } from "../node-proxy/body-framing.ts";
import { CORS_HEADERS } from "../node-proxy/http-proxy.ts";
import { beginRequest, type ExtensionRequest, refuseSwitch } from "./extension-request.ts";

/** Headers of an answer that concern one connection, and those that this server writes itself. */
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

/** What clients get instead of a redirect. */
export const redirectRefused = "the backend attempted to redirect this request, which is not permitted";

/** How {@link forwardRequest} works. */
export interface ForwardOptions extends Omit<ExtensionRequest, "method"> {
  readonly rejectRedirects: boolean;
  /** Called with the connection over which the answer comes. */
  readonly onConnection?: (socket: Socket) => void;
}

/**
 * Hands a request to another server and its answer to the client, both as they come. Resolves when the answer is complete or
 * the client has disconnected.
 *
 * @throws Error when there is no answer; nothing has been written then
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

function askedOnce(request: HttpRequest, options: ForwardOptions, mayRepeat: boolean): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method = "GET" } = request;
    const form = bodyForm(request);
    const outgoing = beginRequest({ ...options, method, headers: framed(options.headers, form) });
    outgoing.on("response", resolve);
    refuseSwitch(outgoing, reject);
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // The other side may close an idle connection in the moment in which it is used again.
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
    // Watches begin before the first event.
    response.flushHeaders();
    // Half an answer must not look like a whole one.
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

/** Answers with a line of text. */
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
