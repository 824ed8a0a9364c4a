/**
 * The parts of a path, with their percent-encoding undone. Authorization, allowed
 * methods and routing all use these segments: `/%72un` is `/run` for each of them.
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
