import { readFileSync } from "node:fs";
import { type ClientConfig, type ClientTls, reloading, staticToken, tokenFromFile } from "@orchernetes/client";

/** The flags that say how node agents and this server authenticate to each other. */
export interface AgentTrustFlags {
  readonly "orchlet-certificate-authority": string;
  readonly "orchlet-client-certificate": string;
  readonly "orchlet-client-key": string;
  readonly "orchlet-insecure-tls": boolean;
}

/** How this server authenticates to node agents, and whom it takes for one. */
export interface AgentCredentials {
  /** Returns the current material, another object after a change of its files. */
  readonly tls: () => ClientTls;
  /** Returns the current bearer token; undefined without one. */
  readonly token: () => string | undefined;
}

/**
 * Certificates of the flags; what no flag names is that of the client of the API server. A token is sent only where there
 * is no client certificate, because a node that has been taken over could use it.
 *
 * @throws the error of the file system for files that cannot be read
 */
export function agentCredentials(flags: AgentTrustFlags, client: ClientConfig): AgentCredentials {
  const tls = agentTls(flags, client);
  const source =
    client.tokenFile !== undefined
      ? tokenFromFile(client.tokenFile)
      : client.token !== undefined
        ? staticToken(client.token)
        : undefined;
  return { tls, token: () => (tls().cert === undefined ? source?.current() : undefined) };
}

function agentTls(flags: AgentTrustFlags, { tls = {} }: ClientConfig): () => ClientTls {
  const ofClient = typeof tls === "function" ? tls : () => tls;
  const caFile = flags["orchlet-certificate-authority"];
  const certFile = flags["orchlet-client-certificate"];
  const keyFile = flags["orchlet-client-key"];
  const files = [caFile, certFile, keyFile].filter((file) => file !== "");
  const load = (): ClientTls => ({
    ...(caFile !== "" && { ca: readFileSync(caFile), insecure: false }),
    ...(certFile !== "" && { cert: readFileSync(certFile), key: readFileSync(keyFile) }),
    ...(flags["orchlet-insecure-tls"] && { insecure: true }),
  });
  const fixed = load();
  const followed = files.length === 0 ? undefined : reloading(files, load);
  let made: { readonly base: ClientTls; readonly own: ClientTls; readonly tls: ClientTls } | undefined;
  return () => {
    const base = ofClient();
    const own = followed?.current() ?? fixed;
    // The same object as long as nothing has changed: connections stay.
    if (made?.base !== base || made.own !== own) made = { base, own, tls: { ...withoutName(base), ...own } };
    return made.tls;
  };
}

/** The name of the API server is not that of a node. */
function withoutName({ serverName: _, ...tls }: ClientTls): ClientTls {
  return tls;
}
