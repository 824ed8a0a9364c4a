import type { core } from "@orchernetes/api";
import { isObject } from "@orchernetes/apimachinery";
import type { AuthConfig, Init } from "@orchernetes/cri";
import type { ObjectReader } from "../objects/object-reader.ts";
import { defaultRegistry, matchesImage, registryOf, repositoryOf } from "./credentials/match-image.ts";

/** Most secrets of a pod that are read, and most of their credentials that are tried: each is another pull, for which all pods wait. */
const maxSecrets = 100;
const maxCredentials = 20;
/** Other names of Docker Hub, which clients write into configurations. */
const hubHosts: ReadonlySet<string> = new Set(["index.docker.io", "registry-1.docker.io"]);

/** An entry of a secret. */
interface Entry {
  /** The images that it is for, as {@link matchesImage} reads it. */
  readonly pattern: string;
  readonly auth: Init<AuthConfig>;
}

/**
 * The credentials for an image from the pod's `imagePullSecrets`, each once and 20 at most: those for a longer path in the registry
 * come first, and equal ones in the order of the secrets. Missing, malformed or unreadable secrets are skipped: the image may need
 * no credentials. Servers of entries may have globs in the labels of the host, as those of credential providers. Source:
 * "Interpretation of config.json" in Images.
 */
export async function pullCredentials(
  pod: core.Pod,
  image: string,
  objects: ObjectReader,
): Promise<readonly Init<AuthConfig>[]> {
  const namespace = pod.metadata.namespace ?? "";
  const repository = repositoryOf(image);
  const matching: Entry[] = [];
  const ofHub: Entry[] = [];
  const names = new Set((pod.spec.imagePullSecrets ?? []).map(({ name = "" }) => name));
  for (const name of [...names].slice(0, maxSecrets)) {
    const secret = await objects.secret(namespace, name).catch(() => undefined);
    for (const entry of entriesOf(secret)) {
      if (matchesImage(entry.pattern, repository)) matching.push(entry);
      if (hubHosts.has(entry.pattern)) ofHub.push(entry);
    }
    if (matching.length >= maxCredentials) break;
  }
  const found = matching.length === 0 && registryOf(repository) === defaultRegistry ? ofHub : matching;
  const distinct = new Map<string, Init<AuthConfig>>();
  for (const { auth } of found.sort((a, b) => (a.pattern < b.pattern ? 1 : a.pattern > b.pattern ? -1 : 0))) {
    const { username, password, identityToken } = auth;
    const key = JSON.stringify([username, password, identityToken]);
    if (!distinct.has(key)) distinct.set(key, auth);
  }
  return [...distinct.values()].slice(0, maxCredentials);
}

/** The entries of a secret of type dockerconfigjson, or of the older dockercfg, whose document has no `auths`. */
function entriesOf(secret: core.Secret | undefined): readonly Entry[] {
  const text = secret?.data?.[".dockerconfigjson"] ?? secret?.data?.[".dockercfg"];
  if (text === undefined) return [];
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(String(text), "base64").toString("utf8"));
  } catch {
    return [];
  }
  const auths = isObject(document) && isObject(document.auths) ? document.auths : document;
  if (!isObject(auths)) return [];
  return Object.entries(auths).flatMap(([server, entry]) => {
    if (!isObject(entry)) return [];
    const field = (name: string): string => (typeof entry[name] === "string" ? entry[name] : "");
    const [user = "", ...password] = Buffer.from(field("auth"), "base64").toString("utf8").split(":");
    // Without a server's address, as in the original: containerd compares it, as a URL, with the host that it asks, and would use neither
    // credentials for "registry.example", which is no URL, nor any for a mirror.
    const auth = {
      username: field("username") || user,
      password: field("password") || password.join(":"),
      identityToken: field("identitytoken"),
    };
    return [{ pattern: patternOf(server), auth }];
  });
}

/** The host of a server and the path in it, without the scheme and the version of the registry's interface. */
function patternOf(server: string): string {
  const plain = server.replace(/^https?:\/\//, "");
  const slash = plain.indexOf("/");
  if (slash === -1) return plain;
  const path = plain.slice(slash).replace(/^\/v[12](?:\/|$)/, "/");
  return path === "/" ? plain.slice(0, slash) : plain.slice(0, slash) + path;
}
