import fc from "fast-check";
import { caseSeed, Random } from "./random.ts";
import { smallerCases } from "./smaller-cases.ts";
import type { FuzzCase, Target } from "./target.ts";

/**
 * Number of cases that fast-check generates from one seed.
 *
 * A block, not a single case, has a seed of its own because setting up a run of fast-check costs more than a case of
 * most targets.
 */
export const BLOCK_SIZE = 16;

/**
 * Cases for fast-check: how to generate and how to shrink them.
 *
 * Shrinking works on the finished case and does not need the random choices that led to it. The cases kept in files
 * and those of servers can therefore be shrunk as well.
 */
class CaseArbitrary extends fc.Arbitrary<FuzzCase> {
  readonly #make: (random: fc.Random) => FuzzCase;

  constructor(make: (random: fc.Random) => FuzzCase) {
    super();
    this.#make = make;
  }

  override generate(random: fc.Random): fc.Value<FuzzCase> {
    return new fc.Value(this.#make(random), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is FuzzCase {
    return typeof value === "object";
  }

  override shrink(input: FuzzCase): fc.Stream<fc.Value<FuzzCase>> {
    return fc.stream(smallerCases(input)).map((smaller) => new fc.Value(smaller, undefined));
  }
}

/** The cases of a target, as an arbitrary for fast-check. */
export const casesOf = (target: Target): fc.Arbitrary<FuzzCase> =>
  new CaseArbitrary((random) => target.generate(new Random(random.nextInt())));

/** The seed that fast-check gets for a block of cases, a signed 32-bit integer as it wants one. */
export const blockSeed = (seed: number, block: number): number => caseSeed(seed, block) | 0;

/**
 * The case with this number in a run. The same target, seed and number give the same case again, without generating
 * those before its block.
 * @throws Error when fast-check generates no such case
 */
export function caseNumber(target: Target, seed: number, index: number): FuzzCase {
  const block = Math.floor(index / BLOCK_SIZE);
  const [input] = fc.sample(casesOf(target), {
    seed: blockSeed(seed, block),
    path: `${index % BLOCK_SIZE}`,
    numRuns: 1,
  });
  if (input === undefined) throw new Error(`no case ${index}`);
  return input;
}

/**
 * Shrinks a case as long as it still fails.
 *
 * @param fails - whether a case still shows the finding
 * @param budgetMs - milliseconds after which to stop with the smallest case so far
 */
export async function minimize(
  input: FuzzCase,
  fails: (candidate: FuzzCase) => Promise<boolean>,
  budgetMs: number,
): Promise<FuzzCase> {
  const property = fc.asyncProperty(new CaseArbitrary(() => input), async (candidate) => !(await fails(candidate)));
  const { counterexample } = await fc.check(property, { numRuns: 1, interruptAfterTimeLimit: budgetMs });
  return counterexample?.[0] ?? input;
}
