import { join } from "node:path";
import type { Metrics } from "@orchernetes/component";
import type { CredentialProviderConfig } from "@orchernetes/config";
import type { AuthConfig, Init } from "@orchernetes/cri";
import type { Clock, Logger } from "@orchernetes/kernel";
import { matchesImage, repositoryOf } from "./match-image.ts";
import { type ProviderAnswer, type ProviderCredentials, parseAnswer } from "./provider-answer.ts";
import { ProviderCache } from "./provider-cache.ts";
import { runProvider } from "./run-provider.ts";

/** The programs of `--image-credential-provider-config`, and the folder where they are. */
export interface CredentialProviderFiles {
  readonly config: CredentialProviderConfig;
  readonly binDir: string;
}

/** Finds credentials for images by programs. */
interface CredentialProviders {
  /** Credentials for an image, those for the longest path first. A program that fails is logged, and gives none; never rejects. */
  credentialsFor(image: string): Promise<readonly Init<AuthConfig>[]>;
}

interface CredentialProviderOptions extends CredentialProviderFiles {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

type Auth = ProviderAnswer["auth"];
type Asked = (repository: string) => Promise<Auth>;

/** Prepares the programs of a configuration; they are run when an image is pulled that one of their patterns matches. */
export function createCredentialProviders(options: CredentialProviderOptions): CredentialProviders {
  const { metrics, logger } = options;
  const errors = metrics.counter({
    name: "orchlet_credential_provider_plugin_errors",
    help: "Number of errors from credential provider plugin",
    labelNames: ["plugin_name"],
  });
  const durations = metrics.histogram({
    name: "orchlet_credential_provider_plugin_duration",
    help: "Duration of execution in seconds for credential provider plugin",
    labelNames: ["plugin_name"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const providers = options.config.providers.map((provider) => ({
    provider,
    ask: cachedProvider(provider, options, (seconds) => durations.observe(seconds, [provider.name])),
  }));

  return {
    async credentialsFor(image) {
      const repository = repositoryOf(image);
      const asked = providers.filter(({ provider }) =>
        provider.matchImages.some((pattern) => matchesImage(pattern, repository)),
      );
      const answers = await Promise.all(
        asked.map(async ({ provider, ask }): Promise<Auth> => {
          try {
            return await ask(repository);
          } catch (error) {
            errors.inc([provider.name]);
            logger.error(error, "A credential provider gave no credentials", {
              provider: provider.name,
              image: repository,
            });
            return new Map();
          }
        }),
      );
      return matching(answers, repository);
    },
  };
}

/** The entries for a repository. Of providers with the same pattern, the first one's counts. */
function matching(answers: readonly Auth[], repository: string): readonly ProviderCredentials[] {
  const combined = new Map([...answers].reverse().flatMap((auth) => [...auth]));
  return [...combined]
    .map(([pattern, credentials]) => ({ pattern: plainPattern(pattern), credentials }))
    .filter(({ pattern }) => matchesImage(pattern, repository))
    .sort((a, b) => (a.pattern < b.pattern ? 1 : -1))
    .map(({ credentials }) => credentials);
}

/** A pattern may be written as a URL, as in the files of older tools. */
const plainPattern = (pattern: string): string => pattern.replace(/^https?:\/\//, "").replace(/\/(v[12]\/?)?$/, "");

/** Runs a program, or uses its cached response. Concurrent requests for one image share one run. */
function cachedProvider(
  provider: CredentialProviderConfig["providers"][number],
  { binDir, clock, signal }: CredentialProviderOptions,
  observe: (seconds: number) => void,
): Asked {
  const { name, apiVersion, args, env, defaultCacheDuration } = provider;
  const cache = new ProviderCache(clock);
  const inFlight = new Map<string, Promise<Auth>>();
  const program = {
    file: join(binDir, name),
    args,
    env: { ...process.env, ...Object.fromEntries(env.map((variable) => [variable.name, variable.value])) },
  };
  const run: Asked = async (repository) => {
    const startedMs = clock.monotonicMs();
    try {
      const request = JSON.stringify({ kind: "CredentialProviderRequest", apiVersion, image: repository });
      const answer = parseAnswer(await runProvider(program, request, { clock, signal }), apiVersion);
      cache.set(repository, answer, answer.cacheMs ?? defaultCacheDuration);
      return answer.auth;
    } finally {
      observe((clock.monotonicMs() - startedMs) / 1000);
    }
  };
  return (repository) => {
    const known = cache.get(repository);
    if (known !== undefined) return Promise.resolve(known);
    let running = inFlight.get(repository);
    if (running === undefined) {
      running = run(repository).finally(() => inFlight.delete(repository));
      inFlight.set(repository, running);
    }
    return running;
  };
}
