import { createPprofHandler, type Health, serveVerbosity, targetOf, verbosityPath } from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import { createJournal } from "../system-logs/journal.ts";
import { createSystemLogs } from "../system-logs/serve-system-logs.ts";
import type { OwnHandler } from "./agent-app.ts";
import { type CheckpointTarget, serveCheckpoint } from "./containers/checkpoint.ts";
import { respondText } from "./requests/http-error.ts";
import { pathParts } from "./requests/methods.ts";

/** The settings that enable handlers for operators. */
export type OperatorSettings = Pick<
  OrchletConfiguration,
  | "enableDebuggingHandlers"
  | "enableProfilingHandler"
  | "enableContentionProfiling"
  | "enableDebugFlagsHandler"
  | "enableSystemLogHandler"
  | "enableSystemLogQuery"
>;

/** First parts of the paths that are refused without debugging handlers. */
const debugAreas = ["run", "exec", "attach", "portForward", "containerLogs", "runningpods", "logs"] as const;

/**
 * Handlers of profiles, of the verbosity of the log, and of the host's logs, as far as they are enabled. A disabled path is answered
 * with 405 and the reason, as by the original.
 *
 * @param settings undefined for the read-only port, where all of them are disabled
 */
export function operatorHandlers(
  settings: OperatorSettings | undefined,
  options: {
    readonly setVerbosity: ((level: number) => void) | undefined;
    /** Folder of the host's logs. @default "/var/log" */
    readonly logRoot?: string | undefined;
    /** Whether gate NodeLogQuery is on. */
    readonly queries: boolean;
  },
): readonly OwnHandler[] {
  if (!settings?.enableDebuggingHandlers)
    return [refused([...debugAreas, "debug/pprof"], "Debug endpoints are disabled.")];
  const { enableProfilingHandler, enableContentionProfiling, enableDebugFlagsHandler, enableSystemLogHandler } =
    settings;
  const { setVerbosity, logRoot, queries } = options;
  return [
    enableProfilingHandler
      ? createPprofHandler({ contention: enableContentionProfiling })
      : refused(["debug/pprof"], "profiling endpoint is disabled."),
    enableDebugFlagsHandler && setVerbosity !== undefined
      ? verbosityHandler(setVerbosity)
      : refused([verbosityPath.slice(1)], "flags endpoint is disabled."),
    enableSystemLogHandler
      ? systemLogsHandler(settings.enableSystemLogQuery && queries, logRoot)
      : refused(["logs"], "logs endpoint is disabled."),
  ];
}

const verbosityHandler =
  (setVerbosity: (level: number) => void): OwnHandler =>
  async (request, response) => {
    if (targetOf(request).path !== verbosityPath) return false;
    await serveVerbosity(request, response, setVerbosity);
    return true;
  };

function systemLogsHandler(queries: boolean, root: string | undefined): OwnHandler {
  const serve = createSystemLogs({
    journal: queries ? createJournal() : undefined,
    ...(root !== undefined && { root }),
  });
  return async (request, response) => {
    const { path: url, query } = targetOf(request);
    const [area, ...parts] = pathParts(url);
    if (area !== "logs") return false;
    await serve({ path: parts.join("/"), url, query }, request, response);
    return true;
  };
}

/** Rejects the paths that begin with one of these parts. */
function refused(prefixes: readonly string[], why: string): OwnHandler {
  return async (request, response) => {
    const path = pathParts(targetOf(request).path).join("/");
    if (!prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) return false;
    respondText(request, response, 405, why);
    return true;
  };
}

/** Serves the health checks. */
export const healthHandler =
  (health: Health): OwnHandler =>
  async (request, response) =>
    health.handle(request, response);

/** Serves checkpoints of containers (gate ContainerCheckpoint). */
export function checkpointHandler(deps: Parameters<typeof serveCheckpoint>[1]): OwnHandler {
  return async (request, response) => {
    const { path, query } = targetOf(request);
    const [area, namespace = "", pod = "", container = "", ...more] = pathParts(path);
    if (area !== "checkpoint" || container === "" || more.length > 0) return false;
    const target: CheckpointTarget = { namespace, pod, container, query };
    await serveCheckpoint(target, deps, request, response);
    return true;
  };
}
