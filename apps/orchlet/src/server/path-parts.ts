/**
 * The parts of a path, with their percent-encoding undone. What may be done, by which method and what is done is decided by these
 * parts alike: `/%72un` is `/run` for all of them.
 */
export function pathParts(path: string): readonly string[] {
  return path
    .split("/")
    .slice(1)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
}
