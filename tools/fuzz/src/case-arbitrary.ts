import fc from "fast-check";
import { caseSeed, Random } from "./random.ts";
import { smallerCases } from "./smaller-cases.ts";
import type { FuzzCase, Target } from "./target.ts";

/** Number of cases that come of one seed of fast-check. */
export const BLOCK_SIZE = 16;

/** Cases for fast-check: how they are made, and how they get smaller. */
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

/** The cases of a target. */
export const casesOf = (target: Target): fc.Arbitrary<FuzzCase> =>
  new CaseArbitrary((random) => target.generate(new Random(random.nextInt())));

/** The seed of fast-check for a block of cases. */
export const blockSeed = (seed: number, block: number): number => caseSeed(seed, block) | 0;

/** The case with this number in a run: every case can be made again without those before its block. */
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
 * Makes a case smaller as long as it still fails.
 *
 * @param fails whether a case still shows the finding
 * @param budgetMs stops there with what it has got
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
