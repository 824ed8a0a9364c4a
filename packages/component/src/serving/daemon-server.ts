import type { HttpHandler, Logger } from "@orchernetes/kernel";
import { certificateAuthenticator } from "../authn-authz/certificate-authenticator.ts";
import {
  accessReviewAuthorizer,
  alwaysAllowPaths,
  type ReviewClient,
  tokenReviewAuthenticator,
} from "../authn-authz/delegated.ts";
import { guard } from "../authn-authz/guard.ts";
import { unionAuthenticator, unionAuthorizer } from "../authn-authz/interfaces.ts";
import { PeerCertificates } from "../authn-authz/peer-certificates.ts";
import { requestHeaderAuthenticator } from "../authn-authz/request-header-authenticator.ts";
import { createPprofHandler, type PprofOptions } from "../debug/pprof-handler.ts";
import type { FlagValues } from "../flags/flag.ts";
import type { delegatedAuthFlags } from "../flags/shared/delegated-auth-flags.ts";
import type { servingFlags } from "../flags/shared/serving-flags.ts";
import type { Health } from "../health/create-health.ts";
import { type Metrics, metricsContentType } from "../metrics/create-metrics.ts";
import { endLostConnections } from "./end-lost-connections.ts";
import { followCaFile } from "./follow-ca-file.ts";
import { respond, targetOf } from "./http.ts";
import { refuseBadHttp } from "./refuse-bad-http.ts";
import { createSecureServing, type SecureServing } from "./secure-serving.ts";

type ServerFlags = FlagValues<ReturnType<typeof servingFlags<number, string>>> &
  FlagValues<ReturnType<typeof delegatedAuthFlags<boolean>>>;

/** The secure port of a daemon that is not the API server. */
export interface DaemonServerOptions {
  /** The values of `servingFlags` and `delegatedAuthFlags`. */
  readonly flags: ServerFlags;
  /** Name of the self-signed pair in `--cert-dir`. */
  readonly name: string;
  readonly health: Health;
  readonly metrics: Metrics;
  /** Serves profiles under `/debug/pprof/`; undefined: `--profiling=false`. */
  readonly profiling?: PprofOptions | undefined;
  /** Further paths, by exact path. */
  readonly paths?: Readonly<Record<string, HttpHandler>>;
  /** Asks whose a token is; from `--authentication-orchconfig`. Without it every token is anonymous. */
  readonly tokenReview?: ReviewClient;
  /** Asks what a user may do; from `--authorization-orchconfig`. Without it only the paths that are always allowed are. */
  readonly accessReview?: ReviewClient;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Serves `/healthz`, `/livez`, `/readyz` with their checks, `/metrics` and the given paths on the secure port, behind delegated
 * authentication and authorization. Answers undefined when `--secure-port` is 0.
 * @throws TlsMaterialError for faulty certificate files; ConfigurationError when the address cannot be listened on.
 */
export async function createDaemonServer(options: DaemonServerOptions): Promise<SecureServing | undefined> {
  const { flags, health, metrics, logger, signal, paths = {} } = options;
  if (flags["secure-port"] === 0) return undefined;
  const clientCaFile = flags["client-ca-file"];
  const proxyCaFile = flags["requestheader-client-ca-file"];
  const watch = { logger, signal };
  const [clientCa, proxyCa] = await Promise.all([followCaFile(clientCaFile, watch), followCaFile(proxyCaFile, watch)]);
  const clients = new PeerCertificates(() => clientCa.current().certificates);
  const proxies = new PeerCertificates(() => proxyCa.current().certificates);
  const authenticators = [
    ...(proxyCaFile === ""
      ? []
      : [
          requestHeaderAuthenticator({
            roots: proxies,
            allowedNames: flags["requestheader-allowed-names"],
            usernameHeaders: flags["requestheader-username-headers"],
            groupHeaders: flags["requestheader-group-headers"],
            extraHeaderPrefixes: flags["requestheader-extra-headers-prefix"],
          }),
        ]),
    ...(clientCaFile === "" ? [] : [certificateAuthenticator(clients)]),
    ...(options.tokenReview === undefined
      ? []
      : [
          tokenReviewAuthenticator({
            review: options.tokenReview,
            ttlMs: flags["authentication-token-webhook-cache-ttl"],
          }),
        ]),
  ];
  const authorizers = [
    alwaysAllowPaths(flags["authorization-always-allow-paths"]),
    // The group that may do everything may so here too, without the API server being asked.
    superuserGroup,
    ...(options.accessReview === undefined
      ? []
      : [
          accessReviewAuthorizer({
            review: options.accessReview,
            allowTtlMs: flags["authorization-webhook-cache-authorized-ttl"],
            denyTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"],
          }),
        ]),
  ];
  const pprof = options.profiling === undefined ? undefined : createPprofHandler(options.profiling);
  const handler: HttpHandler = async (request, response) => {
    const { path } = targetOf(request);
    if (await health.handle(request, response)) return;
    if (path === "/metrics")
      return respond(request, response, 200, { "content-type": metricsContentType }, metrics.render());
    if (pprof !== undefined && (await pprof(request, response))) return;
    const further = Object.hasOwn(paths, path) ? paths[path] : undefined;
    if (further !== undefined) return further(request, response);
    respond(request, response, 404, { "content-type": "text/plain; charset=utf-8" }, "404 page not found\n");
  };
  const serving = await createSecureServing(
    {
      bindAddress: flags["bind-address"],
      port: flags["secure-port"],
      http2MaxStreams: flags["http2-max-streams-per-connection"],
      reusePort: flags["permit-port-sharing"],
      tls: {
        certFile: flags["tls-cert-file"],
        keyFile: flags["tls-private-key-file"],
        certDir: flags["cert-dir"],
        pairName: options.name,
        sniCertKeys: flags["tls-sni-cert-key"],
        cipherSuites: flags["tls-cipher-suites"],
        minVersion: flags["tls-min-version"],
        clientCaFiles: [clientCaFile, proxyCaFile].filter((file) => file !== ""),
      },
      logger,
      signal,
    },
    guard(
      { authenticator: unionAuthenticator(authenticators), authorizer: unionAuthorizer(authorizers), logger },
      handler,
    ),
  );
  serving.server.on("clientError", refuseBadHttp);
  endLostConnections(serving, clientCa, clients, logger);
  endLostConnections(serving, proxyCa, proxies, logger);
  logger.info("Serving securely", { address: serving.address, port: serving.port });
  return serving;
}

const superuserGroup = {
  authorize: async ({ user }: { readonly user: { readonly groups: readonly string[] } }) =>
    ({ decision: user.groups.includes("system:masters") ? "Allow" : "NoOpinion", reason: "" }) as const,
};
