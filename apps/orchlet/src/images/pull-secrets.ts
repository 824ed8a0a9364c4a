import type { core } from "@orchernetes/api";
import { isObject } from "@orchernetes/apimachinery";
import type { AuthConfig, Init } from "@orchernetes/cri";
import type { ObjectReader } from "../objects/object-reader.ts";

/** Registry of images whose names contain none. */
const defaultRegistry = "docker.io";
/** Most secrets of a pod that are read, and most of their credentials that are tried: each is another pull, for which all pods wait. */
const maxSecrets = 100;
const maxCredentials = 20;

/**
 * The registry host of an image. The first part of a name is a host only if it has a dot or port, or is `localhost`.
 */
function registryOf(image: string): string {
  const [first = "", ...rest] = image.split("/");
  return rest.length > 0 && (first.includes(".") || first.includes(":") || first === "localhost")
    ? first
    : defaultRegistry;
}

/**
 * The credentials for an image from the pod's `imagePullSecrets`, in their order, each once and 20 at most. Missing, malformed or
 * unreadable secrets are skipped: the image may need no credentials.
 */
export async function pullCredentials(
  pod: core.Pod,
  image: string,
  objects: ObjectReader,
): Promise<readonly Init<AuthConfig>[]> {
  const namespace = pod.metadata.namespace ?? "";
  const found = new Map<string, Init<AuthConfig>>();
  const names = new Set((pod.spec.imagePullSecrets ?? []).map(({ name = "" }) => name));
  for (const name of [...names].slice(0, maxSecrets)) {
    const secret = await objects.secret(namespace, name).catch(() => undefined);
    for (const [server, auth] of entriesOf(secret)) {
      const { username, password, identityToken } = auth;
      if (matches(server, image)) found.set(JSON.stringify([username, password, identityToken]), auth);
      if (found.size >= maxCredentials) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** The entries of a secret of type dockerconfigjson, or of the older dockercfg, whose document has no `auths`. */
function entriesOf(secret: core.Secret | undefined): readonly (readonly [string, Init<AuthConfig>])[] {
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
    return [[server, auth] as const];
  });
}

/** Whether the server of an entry is the image's registry, or a path in it. Docker Hub has several names. */
function matches(server: string, image: string): boolean {
  const plain = server
    .replace(/^https?:\/\//, "")
    .replace(/\/v[12]\/?$/, "")
    .replace(/\/$/, "");
  const host = plain === "index.docker.io" || plain === "registry-1.docker.io" ? defaultRegistry : plain;
  const full =
    registryOf(image) === defaultRegistry && !image.startsWith(`${defaultRegistry}/`)
      ? `${defaultRegistry}/${image}`
      : image;
  return full === host || full.startsWith(`${host}/`) || registryOf(image) === host;
}
