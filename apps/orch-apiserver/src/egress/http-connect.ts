import type { Duplex } from "node:stream";
import { type DialTarget, targetText } from "@orchernetes/kernel";
import { readHead } from "../dial/read-head.ts";

/** Maximum size of the head of a proxy's response, in bytes. */
const MAX_HEAD_BYTES = 16 * 1024;
/** Maximum length of the part of a response that an error quotes. */
const QUOTED = 100;

/**
 * Requests a tunnel from the proxy at the other end of a connection (RFC 9110 §9.3.6). Afterwards the connection leads to the target.
 *
 * @throws Error with the response of the proxy; the connection cannot be used then
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
