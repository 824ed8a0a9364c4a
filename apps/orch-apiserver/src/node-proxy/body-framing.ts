import type { OutgoingHttpHeaders } from "node:http";
import type { HttpRequest } from "@orchernetes/kernel";

/** Whether a request brings a body, and how it is to be framed when it is passed on. */
export type BodyForm = "none" | "counted" | "chunked";

/**
 * Never by the connection's end, and never unframed, as Node writes bodies of DELETE and GET if the framing is not set: bytes after a
 * head that promises none are read as another request, with this server's credentials and content that the client chose.
 */
export function bodyForm(request: Pick<HttpRequest, "method" | "headers" | "httpVersionMajor">): BodyForm {
  const { headers, method = "GET", httpVersionMajor } = request;
  if (headers["transfer-encoding"] !== undefined) return "chunked";
  const length = headers["content-length"];
  if (length !== undefined) return Number(length) > 0 ? "counted" : "none";
  const mayBeUnframed = httpVersionMajor >= 2 && method !== "GET" && method !== "HEAD";
  return mayBeUnframed ? "chunked" : "none";
}

/** Headers that frame a body as its form says. */
export function framed(headers: OutgoingHttpHeaders, form: BodyForm): OutgoingHttpHeaders {
  const { "content-length": length, "transfer-encoding": _, ...others } = headers;
  if (form === "chunked") return { ...others, "transfer-encoding": "chunked" };
  if (form === "counted") return { ...others, "content-length": String(length) };
  return length === undefined ? others : { ...others, "content-length": "0" };
}
