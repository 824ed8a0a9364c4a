import {
  PeerCertificates,
  parseTokenFile,
  type TokenFileAuthenticator,
  tokenFileAuthenticator,
  type UserInfo,
} from "@orchernetes/auth";
import { followCaFile, type SecureServing } from "@orchernetes/component";
import { type Logger, systemClock } from "@orchernetes/kernel";
import { type CaBundle, type Followed, fixed, followFiles, readMaterial } from "@orchernetes/tls";
import type { Flags } from "../flags/index.ts";

/** Authorities and tokens that authenticate clients. They are read from files that flags name, and reloaded when the files change. */
export interface FollowedCredentials {
  readonly clientCa: Followed<CaBundle>;
  /** Verifies certificates against `clientCa`; undefined without `--client-ca-file`. */
  readonly clients: PeerCertificates | undefined;
  readonly requestHeaderCa: Followed<CaBundle>;
  /** Verifies certificates against `requestHeaderCa`; undefined without `--requestheader-client-ca-file`. */
  readonly frontProxies: PeerCertificates | undefined;
  /** Undefined without `--token-auth-file`. */
  readonly tokenFile: TokenFileAuthenticator | undefined;
  /**
   * From now on, closes connections that were authenticated by an authority or a token that is removed from its file. Otherwise a watch
   * could continue for as long as its client likes.
   */
  endConnectionsOf(serving: SecureServing): void;
}

type FileFlags = Pick<Flags, "client-ca-file" | "requestheader-client-ca-file" | "token-auth-file">;

/**
 * Reads the authorities of clients, the authorities of front proxies and the static tokens, and reloads them when the files change. A
 * changed file that cannot be used is reported, and its previous content stays in effect.
 *
 * @throws TlsMaterialError or TokenFileError when a file cannot be used at the start
 */
export async function followCredentials(
  flags: FileFlags,
  deps: { readonly logger: Logger; readonly signal: AbortSignal; readonly intervalMs?: number },
): Promise<FollowedCredentials> {
  const { logger } = deps;
  const [clientCa, requestHeaderCa, users] = await Promise.all([
    followCaFile(flags["client-ca-file"], deps),
    followCaFile(flags["requestheader-client-ca-file"], deps),
    followTokens(flags["token-auth-file"], deps),
  ]);
  const peersOf = (file: string, ca: Followed<CaBundle>) =>
    file === "" ? undefined : new PeerCertificates(() => ca.current().certificates, systemClock);
  const clients = peersOf(flags["client-ca-file"], clientCa);
  const frontProxies = peersOf(flags["requestheader-client-ca-file"], requestHeaderCa);
  const tokenFile = flags["token-auth-file"] === "" ? undefined : tokenFileAuthenticator(() => users.current());
  return {
    clientCa,
    clients,
    requestHeaderCa,
    frontProxies,
    tokenFile,
    endConnectionsOf(serving) {
      const follow = <T>(
        file: string,
        source: Followed<T>,
        holder: { readonly hasLostTrust: TokenFileAuthenticator["hasLostTrust"] },
      ) =>
        source.onChange(() => {
          const connections = serving.endConnections((connection) => holder.hasLostTrust(connection));
          logger.info("Credentials have changed; connections that were authenticated by removed ones are closed", {
            file,
            connections,
          });
        });
      if (clients) follow(flags["client-ca-file"], clientCa, clients);
      if (frontProxies) follow(flags["requestheader-client-ca-file"], requestHeaderCa, frontProxies);
      if (tokenFile) follow(flags["token-auth-file"], users, tokenFile);
    },
  };
}

/** Follows the file of `--token-auth-file`. Its users are looked up by the digest of their token. */
async function followTokens(
  file: string,
  deps: { readonly logger: Logger; readonly signal: AbortSignal; readonly intervalMs?: number },
): Promise<Followed<ReadonlyMap<string, UserInfo>>> {
  const { logger, signal, intervalMs } = deps;
  if (file === "") return fixed(new Map<string, UserInfo>());
  return followFiles({
    files: [file],
    load: async () => parseTokenFile(await readMaterial(file), JSON.stringify(file)),
    signal,
    intervalMs,
    onError: (error) =>
      logger.error(error, "Changed token file cannot be used; the previous tokens stay in effect", { file }),
  });
}
