import type { GroupVersion, NonResourceContext } from "@orchernetes/apiserver";
import { type Health, type Metrics, metricsContentType, respond, sliMetrics } from "@orchernetes/component";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";

/** A document served at a fixed path. */
interface ServedDocument {
  readonly type: string;
  readonly body: string;
}

/** Answers a request, or says with false that it is not its own. */
export type HttpResponder = (request: HttpRequest, response: HttpResponse) => boolean | Promise<boolean>;

/** What is served beside the API's resources. */
export interface NonResourceParts {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly documents: ReadonlyMap<string, ServedDocument>;
  /** Whether `/metrics/slis` is there (gate ComponentSLIs). */
  readonly slis: boolean;
  /** Called in order for paths below `/debug`. */
  readonly debug: readonly HttpResponder[];
  /** Resources, or group versions, that are served now. */
  readonly definitions: () => readonly GroupVersion[];
}

const ALWAYS = [
  "/api",
  "/apis",
  "/apis/",
  "/metrics",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/",
  "/version",
] as const;

const SLIS = "/metrics/slis";

/** Every path that one can start from, sorted. */
function rootPaths({ health, documents, definitions, slis }: NonResourceParts): readonly string[] {
  const groups = definitions().flatMap(({ group, version }) =>
    group === "" ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
  );
  const own = slis ? [...ALWAYS, SLIS] : ALWAYS;
  return [...new Set([...own, ...groups, ...documents.keys(), ...health.paths()])].sort();
}

/**
 * Serves the index `/`, `/metrics`, the probes and the fixed documents. False for paths that are none of these.
 */
export function nonResourceRoutes(parts: NonResourceParts): (context: NonResourceContext) => Promise<boolean> {
  return async ({ req, res, requestInfo: { path } }) => {
    const send = (status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): true => {
      respond(req as never, res as never, status, { "content-type": type, ...headers }, body);
      return true;
    };
    if (path === "/metrics") return send(200, metricsContentType, parts.metrics.render());
    if (path === SLIS && parts.slis) return send(200, metricsContentType, parts.metrics.render(sliMetrics));
    if (path.startsWith("/debug"))
      for (const respondTo of parts.debug) if (await respondTo(req as never, res as never)) return true;
    const document = parts.documents.get(path);
    if (document !== undefined)
      return send(200, document.type, document.body, { "cache-control": "public, max-age=3600" });
    if (await parts.health.handle(req as never, res as never)) return true;
    if (path !== "/" && path !== "/index.html") return false;
    return send(200, "application/json", `${JSON.stringify({ paths: rootPaths(parts) }, undefined, 2)}\n`);
  };
}
