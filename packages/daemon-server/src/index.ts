/**
 * The secure port of the daemons other than the API server, on express: fixed paths (health, metrics, profiles, pages of the daemon)
 * behind delegated authentication and authorization. A package of its own, so that programs without such a port do not load express.
 *
 * - {@link createDaemonServer} serves a daemon's paths.
 * - {@link expressHandler} makes any express application safe over HTTP/1.1 and HTTP/2.
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
export { createDaemonServer, type DaemonServerOptions } from "./daemon-server.ts";
export { expressHandler } from "./express-handler.ts";
