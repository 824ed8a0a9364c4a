/**
 * Fixed paths (health, metrics, profiles, pages of a daemon) on express, and the secure port of the daemons other than the API server,
 * which serves them behind delegated authentication and authorization. A package of its own, so that programs without such paths do not
 * load express.
 *
 * - {@link createDaemonServer} serves a daemon's paths.
 * - {@link expressHandler} makes any express application safe over HTTP/1.1 and HTTP/2, {@link expressResponder} also in a server with
 *   other paths.
 *
 * @example
 * ```ts
 * import { createDaemonServer, type DaemonServerOptions } from "@orchernetes/daemon-server";
 *
 * async function serve(options: DaemonServerOptions) {
 *   const serving = await createDaemonServer(options);
 *   if (serving === undefined) options.logger.info("Serves nothing, because --secure-port is 0");
 * }
 * ```
 *
 * @module
 */
export { type ClusterAuthentication, createClusterAuthentication } from "./cluster-authentication.ts";
export { daemonRoutes } from "./daemon-routes.ts";
export { createDaemonServer, type DaemonServerOptions, type DelegatedAccess } from "./daemon-server.ts";
export { createExpressApp, type HttpResponder, middleware } from "./express-app.ts";
export { expressHandler, expressResponder } from "./express-handler.ts";
