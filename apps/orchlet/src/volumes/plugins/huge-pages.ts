import type { core } from "@orchernetes/api";
import { quantityOf } from "@orchernetes/apimachinery";

/** Whether an emptyDir of this medium is made of huge pages: `HugePages`, or `HugePages-2Mi`. */
export const isHugePages = (medium: string): boolean => medium === "HugePages" || medium.startsWith("HugePages-");

/** Sizes of huge pages, in bytes, that containers and init containers of a pod request. */
function requestedSizes({ spec }: core.Pod): ReadonlySet<number> {
  const requests = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
    Object.keys(resources?.requests ?? {}),
  );
  return new Set(
    requests.flatMap((name) => {
      const size = /^hugepages-(.+)$/.exec(name)?.[1];
      return size === undefined ? [] : [quantityOf(size).value()];
    }),
  );
}

/**
 * The size of the pages of an emptyDir, in bytes. A medium that names none has the one size that the pod requests.
 *
 * @param medium of huge pages
 * @throws Error where the pod requests no pages of the size, or pages of several sizes
 */
export function hugePageBytes(medium: string, pod: core.Pod): number {
  const sizes = requestedSizes(pod);
  const named = medium === "HugePages" ? undefined : quantityOf(medium.slice("HugePages-".length)).value();
  if (named === undefined && sizes.size > 1)
    throw new Error(`medium: ${medium} can't be used if container requests multiple huge page sizes`);
  const bytes = named === undefined ? [...sizes][0] : [...sizes].find((size) => size === named);
  if (bytes === undefined)
    throw new Error(
      `medium ${medium}: hugePages storage requested, but there is no resource request for huge pages of that size`,
    );
  return bytes;
}
