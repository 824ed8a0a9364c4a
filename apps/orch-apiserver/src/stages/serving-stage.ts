import type { Duplex } from "node:stream";
import type { ApiServer } from "@orchernetes/apiserver";
import { createSecureServing, type SecureServing } from "@orchernetes/component";
import { addressAt } from "../allocators/ip-range.ts";
import { handshakeMetric } from "../metrics/tls-metrics.ts";
import { selfSignedHosts } from "../server-names.ts";
import type { IdentityStage } from "./identity-stage.ts";
import type { ServerProcess } from "./process.ts";
import { given } from "./process.ts";

/** Opens the port. From now on clients get responses. */
export async function openPort(
  { config, flags, logger, loop, metrics, ended }: ServerProcess,
  api: ApiServer,
  { credentials }: Pick<IdentityStage, "credentials">,
): Promise<SecureServing> {
  const [serviceRange] = config.serviceRanges;
  const clientCaFiles = [flags["client-ca-file"], flags["requestheader-client-ca-file"]].filter((file) => file !== "");
  const serving = await createSecureServing(
    {
      bindAddress: flags["bind-address"],
      port: flags["secure-port"],
      tls: {
        ...given("certFile", flags["tls-cert-file"] || undefined),
        ...given("keyFile", flags["tls-private-key-file"] || undefined),
        certDir: flags["cert-dir"],
        pairName: "apiserver",
        selfSignedHosts: selfSignedHosts({
          bindAddress: flags["bind-address"],
          advertiseAddress: config.advertiseAddress,
          ...given("serviceAddress", serviceRange && addressAt(serviceRange, 1n)),
        }),
        sniCertKeys: flags["tls-sni-cert-key"],
        cipherSuites: flags["tls-cipher-suites"],
        ...given("minVersion", flags["tls-min-version"] || undefined),
        clientCaFiles,
      },
      onHandshakeError: handshakeMetric(metrics),
      http2MaxStreams: flags["http2-max-streams-per-connection"],
      reusePort: flags["permit-port-sharing"],
      logger,
      loop,
      signal: ended,
    },
    (request, response) => api.handleRequest(request, response),
  );
  credentials.endConnectionsOf(serving);
  serving.server.on("upgrade", (request, socket, head) => api.handleUpgrade(request, socket, head));
  serving.server.on("clientError", (error: Error, socket: Duplex) => api.handleClientError(error, socket));
  return serving;
}
