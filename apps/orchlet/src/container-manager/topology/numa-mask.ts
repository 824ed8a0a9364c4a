/** A set of NUMA nodes: bit `n` stands for node `n`. */
export type NumaMask = bigint;

/** The mask of some nodes. */
export const maskOf = (nodes: Iterable<number>): NumaMask =>
  [...nodes].reduce((mask, node) => mask | (1n << BigInt(node)), 0n);

/** Whether a node is in the mask. */
export const hasNode = (mask: NumaMask, node: number): boolean => ((mask >> BigInt(node)) & 1n) === 1n;

/** The nodes of a mask in ascending order. */
export function nodesOf(mask: NumaMask): readonly number[] {
  const nodes: number[] = [];
  for (let node = 0, rest = mask; rest > 0n; node++, rest >>= 1n) if ((rest & 1n) === 1n) nodes.push(node);
  return nodes;
}

/** Number of nodes in a mask. */
export const countNodes = (mask: NumaMask): number => nodesOf(mask).length;

/** Every combination of `size` of the elements, in the order of the elements. */
export function combinations<T>(elements: readonly T[], size: number): readonly (readonly T[])[] {
  if (size === 0) return [[]];
  return elements.flatMap((element, index) =>
    combinations(elements.slice(index + 1), size - 1).map((rest) => [element, ...rest]),
  );
}

/** Every mask of some of the nodes but the empty one; those with fewer nodes first. */
export function masksOf(nodes: readonly number[]): readonly NumaMask[] {
  return nodes.flatMap((_, index) => combinations(nodes, index + 1).map(maskOf));
}
