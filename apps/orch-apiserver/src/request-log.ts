import type { CompletedRequest } from "@orchernetes/apiserver";
import type { Logger } from "@orchernetes/component";

/** From this verbosity on every request has a line. */
const requestVerbosity = 3;

/** Writes a line for each request that has ended, when the log is as verbose as that. */
export function requestLog(logger: Logger, now: () => number): (request: CompletedRequest) => void {
  return ({ requestInfo, user, startedMs, userAgent, auditId, sourceIp, code }) => {
    const { verb, path, query } = requestInfo;
    logger.v(requestVerbosity)?.info("HTTP", {
      verb: verb.toUpperCase(),
      URI: query === "" ? path : `${path}?${query}`,
      latency: `${now() - startedMs}ms`,
      user: user?.name ?? "",
      userAgent,
      "audit-ID": auditId,
      srcIP: sourceIp,
      resp: code,
    });
  };
}

/** Whether any file's lines are written from that verbosity on: otherwise requests need no record. */
export function logsRequests(flags: { readonly v: number; readonly vmodule: readonly string[] }): boolean {
  return flags.v >= requestVerbosity || flags.vmodule.length > 0;
}
