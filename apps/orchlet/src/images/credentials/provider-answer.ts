import { isObject, parseDuration } from "@orchernetes/apimachinery";

/** The scope of a cached response: the image, all images of its registry, or all images of the provider. */
export type CacheKeyType = "Image" | "Registry" | "Global";

/** What a credential provider answers. */
export interface ProviderAnswer {
  readonly cacheKeyType: CacheKeyType;
  /** In milliseconds; undefined: the default of the configuration. 0: not cached. */
  readonly cacheMs: number | undefined;
  /** Credentials by the pattern of the images that they are for. */
  readonly auth: ReadonlyMap<string, ProviderCredentials>;
}

/** A user name and password for a registry. */
export interface ProviderCredentials {
  readonly username: string;
  readonly password: string;
}

/** Maximum number of entries of an answer. */
const maxEntries = 1000;

/**
 * Reads the output of a credential provider. Errors do not quote it, because it holds passwords.
 *
 * @param apiVersion the version of the request, which the answer must have
 * @throws Error
 */
export function parseAnswer(output: string, apiVersion: string): ProviderAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    throw new Error(`it wrote ${output.length} characters that are not JSON; want a CredentialProviderResponse`);
  }
  if (!isObject(answer)) throw new Error("it did not write an object; want a CredentialProviderResponse");
  if (answer.apiVersion !== apiVersion)
    throw new Error(
      `apiVersion from credential plugin response did not match expected apiVersion:${apiVersion}, actual apiVersion:${shown(answer.apiVersion)}`,
    );
  if (answer.kind !== "CredentialProviderResponse")
    throw new Error(`kind of the response is ${shown(answer.kind)}; want CredentialProviderResponse`);
  const { cacheKeyType, cacheDuration, auth = {} } = answer;
  if (cacheKeyType !== "Image" && cacheKeyType !== "Registry" && cacheKeyType !== "Global")
    throw new Error(
      `credential provider plugin did not return a valid cacheKeyType: ${shown(cacheKeyType)}; want Image, Registry or Global`,
    );
  return { cacheKeyType, cacheMs: cacheMsOf(cacheDuration), auth: authOf(auth) };
}

function cacheMsOf(duration: unknown): number | undefined {
  if (duration === undefined || duration === null) return undefined;
  const ms = typeof duration === "string" ? parseDuration(duration) : undefined;
  if (ms === undefined || ms < 0) throw new Error(`cacheDuration is ${shown(duration)}; want a duration such as 5m0s`);
  return ms;
}

function authOf(auth: unknown): ProviderAnswer["auth"] {
  if (auth === null) return new Map();
  if (!isObject(auth)) throw new Error("auth is not an object; want credentials by the images that they are for");
  const entries = Object.entries(auth);
  if (entries.length > maxEntries) throw new Error(`auth has ${entries.length} entries; want at most ${maxEntries}`);
  return new Map(
    entries.map(([pattern, entry]) => {
      const { username = "", password = "" } = isObject(entry) ? entry : {};
      if (!isObject(entry) || typeof username !== "string" || typeof password !== "string")
        throw new Error(`auth[${JSON.stringify(pattern.slice(0, 100))}] is invalid; want a username and a password`);
      return [pattern, { username, password }];
    }),
  );
}

const shown = (value: unknown): string =>
  typeof value === "string"
    ? JSON.stringify(value.slice(0, 100))
    : value === undefined
      ? "missing"
      : `a ${typeof value}`;
