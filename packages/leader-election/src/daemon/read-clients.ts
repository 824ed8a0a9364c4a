import { type ClientConfig, inClusterConfig, loadClientConfig } from "@orchernetes/client";
import { flagFile, type NamedFile, type NamedFiles } from "@orchernetes/component";

/** The client configurations of a daemon; undefined where none is named, or it has an error. */
export interface DaemonClients {
  readonly client: ClientConfig | undefined;
  readonly tokenReviewClient: ClientConfig | undefined;
  readonly accessReviewClient: ClientConfig | undefined;
}

/**
 * Reads the client configurations that settings and flags name. Errors are added to those of `files`.
 *
 * @param orchconfig the file of the daemon's own client; without a path and without `--master` the client is the one that pods
 * get from their cluster. Undefined: the file is unknown because of another error
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
