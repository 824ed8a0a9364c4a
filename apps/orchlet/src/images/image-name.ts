/** Parts of an image's name. Source: grammar of the reference package of the distribution project. */
const domain =
  "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::[0-9]+)?";
const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const tag = "\\w[\\w.-]{0,127}";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const reference = new RegExp(`^((?:${domain}/)?${component}(?:/${component})*)(?::(${tag}))?(?:@(${digest}))?$`);

/** Maximum length of registry and repository together, in characters. */
const maxNameLength = 255;
const hexDigits: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** What an image's name says: the image with a tag or digest, or why it is none, in the original's words. */
type ImageName = { readonly reference: string } | { readonly error: string };

/** The image with the tag `latest` if it has neither tag nor digest. Pure. */
export function parseImageName(image: string): ImageName {
  if (/^[a-f0-9]{64}$/.test(image))
    return { error: `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings` };
  const full = withRegistry(image);
  const [repository = ""] = full.slice(full.indexOf("/") + 1).split(":", 1);
  if (repository !== repository.toLowerCase())
    return { error: "invalid reference format: repository name must be lowercase" };
  const [match, name = "", foundTag, foundDigest] = reference.exec(full) ?? [];
  if (match === undefined)
    return {
      error: reference.test(full.toLowerCase()) ? "repository name must be lowercase" : "invalid reference format",
    };
  if (name.length > maxNameLength)
    return { error: `repository name must not be more than ${maxNameLength} characters` };
  const error = foundDigest === undefined ? undefined : digestError(foundDigest);
  if (error !== undefined) return { error };
  return { reference: foundTag === undefined && foundDigest === undefined ? `${image}:latest` : image };
}

/** The name with its registry, which is Docker Hub by default. */
function withRegistry(image: string): string {
  const [first = "", ...rest] = image.split("/");
  if (rest.length > 0 && (/[.:]/.test(first) || first === "localhost")) {
    const repository = rest.join("/");
    if (first !== "docker.io" && first !== "index.docker.io") return image;
    return repository.includes("/") ? `docker.io/${repository}` : `docker.io/library/${repository}`;
  }
  return rest.length > 0 ? `docker.io/${image}` : `docker.io/library/${image}`;
}

function digestError(text: string): string | undefined {
  const [algorithm = "", encoded = ""] = text.split(":");
  const wanted = Object.hasOwn(hexDigits, algorithm) ? hexDigits[algorithm] : undefined;
  if (wanted === undefined)
    return /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*$/.test(algorithm)
      ? "unsupported digest algorithm"
      : "invalid checksum digest format";
  if (encoded.length !== wanted) return "invalid checksum digest length";
  return /^[a-f0-9]*$/.test(encoded) ? undefined : "invalid checksum digest format";
}
