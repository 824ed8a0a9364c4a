import type { CompletedRequest } from "@orchernetes/apiserver";
import type { Logger } from "@orchernetes/kernel";

/** Verbosity from which on every request is logged. */
const requestVerbosity = 3;

/** Logs every completed request if the verbosity is high enough. */
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

/** Whether `-v` or a `--vmodule` pattern enables request lines; otherwise nothing needs to be recorded. */
export function logsRequests(flags: { readonly v: number; readonly vmodule: readonly string[] }): boolean {
  return flags.v >= requestVerbosity || flags.vmodule.length > 0;
}
