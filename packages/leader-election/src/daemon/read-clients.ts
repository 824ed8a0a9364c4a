import { type ClientConfig, inClusterConfig, loadClientConfig } from "@orchernetes/client";
import { flagFile, type NamedFile, type NamedFiles } from "@orchernetes/component";

/** The client configurations of a daemon. One is undefined if it is not configured or has an error. */
export interface DaemonClients {
  readonly client: ClientConfig | undefined;
  /** For TokenReviews and the look-up of authorities, from `--authentication-orchconfig`. */
  readonly tokenReviewClient: ClientConfig | undefined;
  /** For SubjectAccessReviews, from `--authorization-orchconfig`. */
  readonly accessReviewClient: ClientConfig | undefined;
}

/**
 * Reads the client configurations that settings and flags name. Adds errors to those of `files` instead of throwing,
 * so that a user sees all errors of a configuration at once.
 *
 * @param orchconfig - file of the client of the daemon itself; undefined if the file is unknown because of another
 *   error. Without a path and without `--master`, the client is the one that a cluster provides to its pods
 */
export async function readClients(
  files: NamedFiles,
  flags: {
    readonly master: string;
    readonly "authentication-orchconfig": string;
    readonly "authorization-orchconfig": string;
  },
  orchconfig: NamedFile | undefined,
): Promise<DaemonClients> {
  const { master } = flags;
  const own = (path: string): ClientConfig =>
    path === "" && master === ""
      ? inClusterConfig()
      : loadClientConfig(path, master === "" ? {} : { masterOverride: master });
  const review = async (flag: "authentication-orchconfig" | "authorization-orchconfig") =>
    flags[flag] === "" ? undefined : files.client(flagFile(flags, flag), () => loadClientConfig(flags[flag]));
  return {
    client: orchconfig && (await files.client(orchconfig, () => own(orchconfig.path))),
    tokenReviewClient: await review("authentication-orchconfig"),
    accessReviewClient: await review("authorization-orchconfig"),
  };
}
