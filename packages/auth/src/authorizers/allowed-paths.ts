import { type Authorizer, NO_OPINION } from "./authorizer.ts";

const relative = (path: string): string => (path.startsWith("/") ? path.slice(1) : path);

/** Whether {@link allowedPaths} can use a path: an asterisk may only be its last character. */
export const isAllowedPath = (path: string): boolean => !path.slice(0, -1).includes("*");

/**
 * Allows everyone to use the given paths with any method (`--authorization-always-allow-paths`). A path that ends with `*` matches all
 * paths that start with what precedes the asterisk; a leading slash is optional.
 *
 * @throws RangeError for an asterisk elsewhere
 */
export function allowedPaths(paths: readonly string[]): Authorizer {
  const wrong = paths.find((path) => !isAllowedPath(path));
  if (wrong !== undefined)
    throw new RangeError(
      `cannot always allow path ${JSON.stringify(wrong)}: only the last character may be an asterisk`,
    );
  const exact = new Set(paths.filter((path) => !path.endsWith("*")).map(relative));
  const prefixes = paths.filter((path) => path.endsWith("*")).map((path) => relative(path.slice(0, -1)));
  return {
    authorize({ resourceRequest, path }) {
      if (resourceRequest) return NO_OPINION;
      const wanted = relative(path);
      return exact.has(wanted) || prefixes.some((prefix) => wanted.startsWith(prefix)) ? { type: "Allow" } : NO_OPINION;
    },
  };
}
