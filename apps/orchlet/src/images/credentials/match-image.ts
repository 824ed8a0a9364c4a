/** Registry of images whose names contain none. */
export const defaultRegistry = "docker.io";
/** The folder of images whose names are one word. */
const defaultFolder = "library";

/** A registry and a path in it; patterns may have globs in the labels of the host. */
interface Place {
  readonly labels: readonly string[];
  readonly port: string;
  /** Empty, or begins with a slash. */
  readonly path: string;
}

function placeOf(text: string): Place {
  const slash = text.indexOf("/");
  const authority = slash === -1 ? text : text.slice(0, slash);
  const [, host = authority, port = ""] = /^(.*):(\d*)$/.exec(authority) ?? [];
  return { labels: host.split("."), port, path: slash === -1 ? "" : text.slice(slash) };
}

/**
 * The repository of an image: its name with the registry, without tag and digest, such as `docker.io/library/busybox`. The first part
 * of a name is a registry only if it has a dot or port, or is `localhost`.
 */
export function repositoryOf(image: string): string {
  const [named = ""] = image.split("@", 1);
  const slash = named.lastIndexOf("/");
  const colon = named.indexOf(":", slash + 1);
  const name = colon === -1 ? named : named.slice(0, colon);
  const [first = "", ...rest] = name.split("/");
  if (rest.length > 0 && (/[.:]/.test(first) || first === "localhost")) return name;
  return rest.length > 0 ? `${defaultRegistry}/${name}` : `${defaultRegistry}/${defaultFolder}/${name}`;
}

/** The registry of a repository, with its port. */
export const registryOf = (repository: string): string => repository.split("/", 1)[0] ?? "";

/**
 * Whether a repository is one of those that a pattern is for: as many labels in the host, each matching; the same port, also if there
 * is none; and a path that begins with that of the pattern.
 *
 * @param pattern such as `*.registry.example:5000/team`; `*` and `?` match within one label of the host
 */
export function matchesImage(pattern: string, repository: string): boolean {
  const glob = placeOf(pattern);
  const place = placeOf(repository);
  return (
    glob.port === place.port &&
    glob.labels.length === place.labels.length &&
    place.path.startsWith(glob.path) &&
    glob.labels.every((label, i) => matchesLabel(label, place.labels[i] ?? ""))
  );
}

/** Compares from the last star that was met on: time grows with the product of the two lengths at most. */
function matchesLabel(glob: string, label: string): boolean {
  let [g, l, star, mark] = [0, 0, -1, 0];
  while (l < label.length) {
    if (glob[g] === "*") {
      star = g++;
      mark = l;
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === label[l])) {
      g++;
      l++;
    } else if (star !== -1) {
      g = star + 1;
      l = ++mark;
    } else return false;
  }
  return [...glob.slice(g)].every((rest) => rest === "*");
}
