import { bytesOf } from "../target.ts";

/** One HTTP/1.1 request. It has a Content-Length for the body, unless one of the headers says how long the body is. */
export interface RequestCase extends Readonly<Record<string, string | readonly string[]>> {
  readonly method: string;
  readonly target: string;
  /** Lines `Name: value`, in order. Authorization is added unless one of them has it. */
  readonly headers: readonly string[];
  readonly body: string;
}

const has = (headers: readonly string[], name: string): boolean =>
  headers.some((line) => line.slice(0, name.length + 1).toLowerCase() === `${name}:`);

/** The request as it is sent. */
export function requestBytes({ method, target, headers, body }: RequestCase, token: string): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers];
  if (!has(headers, "host")) lines.push("Host: 127.0.0.1");
  if (!has(headers, "authorization")) lines.push(`Authorization: Bearer ${token}`);
  const framed = has(headers, "content-length") || has(headers, "transfer-encoding");
  if (!framed && (body !== "" || method === "POST" || method === "PUT" || method === "PATCH")) {
    lines.push(`Content-Length: ${body.length}`);
  }
  return bytesOf(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
