import type { GroupVersion, NonResourceContext } from "@orchernetes/apiserver";
import { type Health, type Metrics, metricsContentType, respond, sliMetrics } from "@orchernetes/component";
import { createExpressApp, expressResponder, type HttpResponder, middleware } from "@orchernetes/daemon-server";

/** A document served at a fixed path. */
interface ServedDocument {
  readonly type: string;
  readonly body: string;
}

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
 * Routes the index `/`, `/metrics`, profiles, the probes and the fixed documents. Every method is answered, as the original does.
 *
 * @returns a function that resolves to false for paths that are none of these
 */
export function nonResourceRoutes(parts: NonResourceParts): (context: NonResourceContext) => Promise<boolean> {
  const { metrics, health, debug, documents } = parts;
  const app = createExpressApp();
  app.all("/metrics", (request, response) =>
    respond(request, response, 200, { "content-type": metricsContentType }, metrics.render()),
  );
  if (parts.slis)
    app.all(SLIS, (request, response) =>
      respond(request, response, 200, { "content-type": metricsContentType }, metrics.render(sliMetrics)),
    );
  for (const respondTo of debug) app.use(middleware(respondTo));
  for (const [path, { type, body }] of documents)
    app.all(path, (request, response) =>
      respond(request, response, 200, { "content-type": type, "cache-control": "public, max-age=3600" }, body),
    );
  app.use(middleware((request, response) => health.handle(request, response)));
  app.all(["/", "/index.html"], (request, response) =>
    respond(request, response, 200, { "content-type": "application/json" }, indexOf(parts)),
  );
  const respondTo = expressResponder(app);
  return ({ req, res }) => respondTo(req, res);
}

/** The index as JSON text. */
const indexOf = (parts: NonResourceParts): string => `${JSON.stringify({ paths: rootPaths(parts) }, undefined, 2)}\n`;
