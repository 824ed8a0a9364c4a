import type { HttpResponse } from "@orchernetes/kernel";
import type { RequestAudit } from "./recorder.ts";

/**
 * Reports the head of a long-running response. Every way of writing a head, explicit or implicit, calls `writeHead`.
 */
export function reportStart(res: HttpResponse, audit: Pick<RequestAudit, "responseStarted">): void {
  const writeHead = res.writeHead.bind(res);
  res.writeHead = (code, headers) => {
    audit.responseStarted(code);
    return headers === undefined ? writeHead(code) : writeHead(code, headers);
  };
}
