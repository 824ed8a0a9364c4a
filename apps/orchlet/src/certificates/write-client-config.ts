import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readClientConfigFile } from "@orchernetes/client";

/**
 * Writes the client configuration of a node that has joined: the cluster of the bootstrap configuration, and the path of the file
 * with the certificate and key, which is reloaded after a renewal. The file is replaced atomically, and only its owner can read it.
 *
 * @param pair path of the file with the certificate and the key
 * @throws ClientConfigError if the bootstrap configuration cannot be read; Error if the file cannot be written
 */
export function writeClientConfig({
  source,
  target,
  pair,
}: {
  readonly source: string;
  readonly target: string;
  readonly pair: string;
}): void {
  const { server, insecure, caFile, caData, tlsServerName } = readClientConfigFile(source).cluster;
  const cluster = {
    server,
    ...(insecure && { "insecure-skip-tls-verify": true }),
    ...(caFile !== undefined && { "certificate-authority": caFile }),
    ...(caData !== undefined && { "certificate-authority-data": caData.toString("base64") }),
    ...(tlsServerName !== undefined && { "tls-server-name": tlsServerName }),
  };
  const file = resolve(pair);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "default-cluster", cluster }],
    users: [{ name: "default-auth", user: { "client-certificate": file, "client-key": file } }],
    contexts: [
      {
        name: "default-context",
        context: { cluster: "default-cluster", user: "default-auth", namespace: "default" },
      },
    ],
    "current-context": "default-context",
  };
  mkdirSync(dirname(resolve(target)), { recursive: true, mode: 0o700 });
  // JSON is valid YAML, which all clients read.
  writeFileSync(`${target}.new`, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${target}.new`, target);
}
