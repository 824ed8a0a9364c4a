import {
  type Authenticator,
  type Authorizer,
  accessReviewAuthorizer,
  allowedPaths,
  cachedTokenAuthenticator,
  type FrontProxyOptions,
  PeerCertificates,
  privilegedGroups,
  type ReviewClient,
  requestAuthenticators,
  SUPERUSER_GROUP,
  tokenReviewAuthenticator,
} from "@orchernetes/auth";
import {
  createSecureServing,
  type delegatedAuthFlags,
  endLostConnections,
  type FlagValues,
  followCaFile,
  guard,
  knownClients,
  refuseBadHttp,
  type SecureServing,
  type servingFlags,
} from "@orchernetes/component";
import { type Clock, type HttpHandler, type Logger, systemClock } from "@orchernetes/kernel";
import type { CaBundle, Followed } from "@orchernetes/tls";
import type { ClusterAuthentication } from "./cluster-authentication.ts";
import { type DaemonRoutes, daemonResponder, daemonRoutes } from "./daemon-routes.ts";
import type { HttpResponder } from "./express-app.ts";

type ServerFlags = FlagValues<ReturnType<typeof servingFlags<number, string>>> &
  FlagValues<ReturnType<typeof delegatedAuthFlags<boolean>>>;

/** Who may send requests, as the API server decides it. Both lists are called in their order. */
export interface DelegatedAccess {
  readonly authenticators: readonly Authenticator[];
  readonly authorizers: readonly Authorizer[];
}

/** The options of the secure port of a daemon that is not the API server. */
export interface DaemonServerOptions extends DaemonRoutes {
  /** The values of `servingFlags` and `delegatedAuthFlags`. */
  readonly flags: ServerFlags;
  /** Name of the self-signed pair in `--cert-dir`. */
  readonly name: string;
  /** Authenticates tokens; from `--authentication-orchconfig`. Without it tokens are ignored. */
  readonly tokenReview?: ReviewClient;
  /**
   * The certificates that the cluster authenticates, where `--client-ca-file` and `--requestheader-client-ca-file` are
   * not set.
   */
  readonly cluster?: ClusterAuthentication | undefined;
  /**
   * Authorizes users; from `--authorization-orchconfig`. Without it, only the paths that are always allowed can be
   * used.
   */
  readonly accessReview?: ReviewClient;
  /**
   * Handles requests, for daemons that serve an API: they authenticate and authorize them, and leave the paths of every
   * daemon to `routes`. @default those paths alone, after authentication, and authorization of the path
   */
  readonly serve?: ((access: DelegatedAccess, routes: HttpResponder) => HttpHandler) | undefined;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** @default systemClock */
  readonly clock?: Clock;
}

/**
 * Serves `/healthz`, `/livez`, `/readyz` with their checks, `/metrics` and the given paths on the secure port, behind
 * delegated authentication and authorization (the API server reviews tokens and access). Resolves to undefined if
 * `--secure-port` is 0.
 * @throws TlsMaterialError for invalid certificate files; ConfigurationError when the address cannot be listened on
 */
export async function createDaemonServer(options: DaemonServerOptions): Promise<SecureServing | undefined> {
  const { flags, logger, signal, cluster, clock = systemClock } = options;
  if (flags["secure-port"] === 0) return undefined;
  const clientCaFile = flags["client-ca-file"];
  const proxyCaFile = flags["requestheader-client-ca-file"];
  const watch = { logger, signal };
  const [clientCa, proxyCa] = await Promise.all([
    (clientCaFile === "" && cluster?.clientCa) || followCaFile(clientCaFile, watch),
    (proxyCaFile === "" && cluster?.frontProxyCa) || followCaFile(proxyCaFile, watch),
  ]);
  const clients = new PeerCertificates(() => clientCa.current().certificates, clock);
  const proxies = new PeerCertificates(() => proxyCa.current().certificates, clock);
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
        ...(cluster === undefined ? {} : { clientCas: [clientCa, proxyCa].filter((bundle) => isOf(cluster, bundle)) }),
      },
      logger,
      signal,
    },
    handlerOf(options, {
      authenticators: requestAuthenticators({
        frontProxies:
          proxyCaFile === ""
            ? cluster && publishedFrontProxies(cluster, proxies)
            : { peers: proxies, ...frontProxyHeaders(flags) },
        clients: clientCaFile === "" && cluster === undefined ? undefined : clients,
        tokens: options.tokenReview && reviewedTokens(flags, options.tokenReview, clock),
        clock,
      }),
      authorizers: authorizersOf(flags, options.accessReview, clock),
    }),
  );
  serving.server.on("clientError", refuseBadHttp);
  endLostConnections(serving, clientCa, clients, logger);
  endLostConnections(serving, proxyCa, proxies, logger);
  logger.info("Serving securely", { address: serving.address, port: serving.port });
  return serving;
}

function handlerOf(options: DaemonServerOptions, access: DelegatedAccess): HttpHandler {
  const { serve, logger } = options;
  if (serve === undefined) return guard({ ...access, logger }, daemonRoutes(options));
  return serve(
    { authorizers: access.authorizers, authenticators: access.authenticators.map(knownClients) },
    daemonResponder(options),
  );
}

const isOf = ({ clientCa, frontProxyCa }: ClusterAuthentication, bundle: Followed<CaBundle>): boolean =>
  bundle === clientCa || bundle === frontProxyCa;

/** The front proxies that are published at the time of a request. */
const publishedFrontProxies = (
  { frontProxies }: ClusterAuthentication,
  peers: PeerCertificates,
): FrontProxyOptions => ({
  peers,
  get allowedNames() {
    return frontProxies().allowedNames;
  },
  get usernameHeaders() {
    return frontProxies().usernameHeaders;
  },
  get groupHeaders() {
    return frontProxies().groupHeaders;
  },
  get extraHeaderPrefixes() {
    return frontProxies().extraHeaderPrefixes;
  },
});

const frontProxyHeaders = (flags: ServerFlags) => ({
  allowedNames: flags["requestheader-allowed-names"],
  usernameHeaders: flags["requestheader-username-headers"],
  groupHeaders: flags["requestheader-group-headers"],
  extraHeaderPrefixes: flags["requestheader-extra-headers-prefix"],
});

/** Number of tokens whose reviews are cached. */
const TOKEN_CACHE_LIMIT = 4096;

function reviewedTokens(flags: ServerFlags, review: ReviewClient, clock: Clock) {
  const ttlMs = flags["authentication-token-webhook-cache-ttl"];
  return cachedTokenAuthenticator(tokenReviewAuthenticator({ review }), {
    ttlMs,
    unknownTtlMs: ttlMs,
    maxEntries: TOKEN_CACHE_LIMIT,
    clock,
  });
}

/** Superusers are allowed without asking the API server, which would allow them, too. */
function authorizersOf(flags: ServerFlags, review: ReviewClient | undefined, clock: Clock): readonly Authorizer[] {
  const local = [privilegedGroups(SUPERUSER_GROUP), allowedPaths(flags["authorization-always-allow-paths"])];
  if (review === undefined) return local;
  const delegated = accessReviewAuthorizer({
    review,
    allowTtlMs: flags["authorization-webhook-cache-authorized-ttl"],
    denyTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"],
    clock,
  });
  return [...local, delegated];
}
