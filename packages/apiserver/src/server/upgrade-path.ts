import type { Duplex } from "node:stream";
import { ApiError, failure, genericServerResponse } from "@orchernetes/apimachinery";
import type { HttpRequest } from "@orchernetes/kernel";
import { upgradeCustom } from "../handlers/custom.ts";
import { parseRequestInfo } from "../http/request-info.ts";
import { RequestState } from "../http/request-state.ts";
import { toStatus } from "../http/respond.ts";
import { ThrottledSocket } from "../http/throttle.ts";
import { type Messages, WebSocketResponse } from "../http/web-socket-response.ts";
import { remoteTarget } from "./remote-target.ts";
import { messagesOf, type Route, routeOf } from "./route.ts";
import { countLongRunning, runRoute } from "./run-route.ts";
import { shuttingDown } from "./server-errors.ts";
import type { ServingParts } from "./serving-parts.ts";
import { onAnswerHead, refuseUpgrade, UpgradeResponse } from "./upgrade.ts";

/**
 * Serves requests with `Upgrade`: exec, attach, port-forward, proxies, and watches and logs over WebSockets.
 *
 * They pass the same gate as other requests and count as long-running from the start. There is no response object of
 * Node.js: errors are written to the socket as long as the protocol has not changed.
 */
export class UpgradePath {
  readonly #parts: ServingParts;

  constructor(parts: ServingParts) {
    this.#parts = parts;
  }

  /** Takes over a connection; responds with an error and closes it when the request is rejected. */
  handle(req: HttpRequest, socket: Duplex, head: Buffer): void {
    const { environment, lifecycle, endings, options } = this.#parts;
    const res = new UpgradeResponse(socket);
    const state = new RequestState(req, res, environment.clock.nowMs(), false, options.audit);
    socket.on("error", () => state.abort(new Error("the client closed the connection")));
    socket.once("close", () => state.abort(new Error("the client closed the connection")));
    state.longRunning = true;
    lifecycle.longRunning.enter();
    this.#upgrade(state, socket, head)
      .catch((error: unknown) => {
        const status = toStatus(endings.known(error, state));
        state.audit?.responseObject(status);
        state.code = refuseUpgrade(socket, status);
      })
      .finally(() => {
        lifecycle.longRunning.leave();
        endings.completed(state);
      });
  }

  async #upgrade(state: RequestState, socket: Duplex, head: Buffer): Promise<void> {
    const { lifecycle, gate, environment, options } = this.#parts;
    state.info = parseRequestInfo(state.req.method ?? "", state.req.url ?? "");
    if (lifecycle.draining) throw shuttingDown();
    await gate.admit(state, undefined);
    const { info } = state;
    const { aggregator } = options;
    const elsewhere = aggregator && remoteTarget(aggregator, info);
    if (aggregator !== undefined && elsewhere !== undefined) {
      const { user, req, signal, auditId } = state;
      this.#reportHead(state, socket);
      await aggregator.proxyUpgrade({ user, requestInfo: info, auditId, req, signal }, elsewhere, socket, head);
      return;
    }
    if (!info.isResourceRequest) throw genericServerResponse({ code: 404 });
    const route = routeOf(environment, state);
    const messages = messagesOf(route, state);
    if (messages !== undefined) {
      await this.#overWebSocket(route, state, socket, head, messages);
      return;
    }
    if (route.type !== "custom" || route.handler.upgrade === undefined) {
      throw new ApiError(failure("BadRequest", "this resource cannot be upgraded to another protocol"));
    }
    this.#reportHead(state, socket);
    await upgradeCustom({ ...route, state, environment }, this.#throttled(socket), head);
  }

  /** The first bytes written are the response: 101, or the error of a server behind this one. */
  #reportHead(state: RequestState, socket: Duplex): void {
    onAnswerHead(socket, (code) => {
      state.code = code;
      state.audit?.responseStarted(code);
    });
  }

  #throttled(socket: Duplex): Duplex {
    const { maxConnectionBytesPerSec } = this.#parts.environment.limits;
    return maxConnectionBytesPerSec > 0 ? new ThrottledSocket(socket, maxConnectionBytesPerSec) : socket;
  }

  /** Serves a GET as over HTTP, with WebSocket messages in place of the body. */
  async #overWebSocket(
    route: Route,
    state: RequestState,
    socket: Duplex,
    head: Buffer,
    messages: Messages,
  ): Promise<void> {
    const { environment } = this.#parts;
    if (head.length > 0) socket.unshift(head);
    const res = new WebSocketResponse(state.req, this.#throttled(socket), messages);
    res.on("error", () => state.abort(new Error("the response failed")));
    try {
      state.answerThrough(res);
      state.recordAnswer();
      await countLongRunning(environment.metrics, state, () => runRoute(environment, route, state));
    } catch (error) {
      // After the protocol switch, a Status can no longer be sent.
      if (!res.headersSent) throw error;
      res.destroy();
    }
    state.code = res.statusCode;
  }
}
