import type { Duplex } from "node:stream";
import { type DialTarget, targetText } from "@orchernetes/kernel";
import { readHead } from "../dial/read-head.ts";

/** Longest head of a proxy's answer. */
const MAX_HEAD_BYTES = 16 * 1024;
/** Longest part of an answer that an error quotes. */
const QUOTED = 100;

/**
 * Asks the proxy at the other end of a connection for a tunnel (RFC 9110 §9.3.6). The connection leads to the target from then on.
 *
 * @throws Error with what the proxy answered; the connection is of no use then
 */
export async function httpConnect(
  proxy: Duplex,
  target: DialTarget,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Duplex> {
  const to = targetText(target);
  proxy.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
  const { head, rest } = await readHead(proxy, { ...limits, maxBytes: MAX_HEAD_BYTES });
  const line = head.toString("latin1").split("\r\n", 1)[0] ?? "";
  const [, status = "", reason = ""] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(line) ?? [];
  if (status === "") throw new Error(`it answered CONNECT with ${quoted(line)}, which is no HTTP`);
  if (!status.startsWith("2"))
    throw new Error(`it answered CONNECT with status ${status} ${quoted(reason)}; accepted is 200`);
  if (rest.length > 0) proxy.unshift(rest);
  return proxy;
}

const quoted = (text: string): string => JSON.stringify(text.length <= QUOTED ? text : `${text.slice(0, QUOTED)}…`);
