import type { HttpResponse } from "@orchernetes/kernel";
import type { RequestAudit } from "./recorder.ts";

/** Reports the head of a long answer. Every way of writing a head, explicit or not, passes `writeHead`. */
export function reportStart(res: HttpResponse, audit: Pick<RequestAudit, "responseStarted">): void {
  const writeHead = res.writeHead.bind(res);
  res.writeHead = (code, headers) => {
    audit.responseStarted(code);
    return headers === undefined ? writeHead(code) : writeHead(code, headers);
  };
}
