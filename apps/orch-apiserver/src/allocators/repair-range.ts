import type { core } from "@orchernetes/api";
import { AllocationBitmap } from "./allocation-bitmap.ts";
import type { RangeAllocator } from "./range-allocator.ts";

/** A value of a range that a stored service uses. */
export interface Holding {
  readonly service: core.Service;
  /** The address or port as text. */
  readonly value: string;
  /** Undefined if it is not in the range. */
  readonly offset: number | undefined;
}

/** Kind of problem with a holding. */
export type HoldingProblem = "not-allocated" | "duplicate" | "out-of-range";

/** Result of a pass over one range. */
export interface RepairReport {
  readonly problems: readonly { readonly holding: Holding; readonly problem: HoldingProblem }[];
  /** Offsets that no service uses: `suspected` ones may belong to a write in flight, `freed` ones were unused for several passes. */
  readonly leaks: { readonly suspected: readonly number[]; readonly freed: readonly number[] };
}

/** Consecutive passes that must find an offset unused before it is released: a write allocates it before the service is stored. */
const passesBeforeLeakIsFreed = 3;

/** Attempts of a pass; it starts over when the allocations change in the meantime. */
const attempts = 10;

/**
 * Makes the stored allocations of a range match the services. Remembers suspected leaks between passes, so keep one instance per
 * range.
 */
export class RangeRepair {
  readonly #allocator: RangeAllocator;
  /** Remaining passes by offset. */
  #suspects: ReadonlyMap<number, number> = new Map();

  constructor(allocator: RangeAllocator) {
    this.#allocator = allocator;
  }

  /** @param list lists what services use now; called after the allocations have been read */
  async run(list: () => Promise<readonly Holding[]>): Promise<RepairReport> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const snapshot = await this.#allocator.snapshot();
      const { rebuilt, problems } = rebuild(await list(), snapshot.taken, snapshot.current);
      const { suspects, report } = this.#judgeLeaks(snapshot.taken, rebuilt);
      const done =
        snapshot.current && rebuilt.equals(snapshot.taken)
          ? this.#allocator.confirm(snapshot)
          : await this.#allocator.replace(snapshot, rebuilt);
      if (!done) continue;
      this.#suspects = suspects;
      return { problems, leaks: report };
    }
    throw new Error(`allocations changed under each of ${attempts} attempts to repair them`);
  }

  /** Keeps suspected leaks allocated until they have been unused for enough passes. */
  #judgeLeaks(stored: AllocationBitmap, rebuilt: AllocationBitmap) {
    const suspects = new Map<number, number>();
    const report = { suspected: [] as number[], freed: [] as number[] };
    for (const offset of stored.taken()) {
      if (rebuilt.has(offset)) continue;
      const left = this.#suspects.get(offset) ?? passesBeforeLeakIsFreed;
      if (left === 0) {
        report.freed.push(offset);
        continue;
      }
      if (left === passesBeforeLeakIsFreed) report.suspected.push(offset);
      suspects.set(offset, left - 1);
    }
    for (const offset of suspects.keys()) rebuilt.add(offset);
    return { suspects, report };
  }
}

/** The allocations computed from the services alone, and the problems found. */
function rebuild(
  holdings: readonly Holding[],
  stored: AllocationBitmap,
  comparable: boolean,
): { readonly rebuilt: AllocationBitmap; readonly problems: RepairReport["problems"] } {
  const rebuilt = new AllocationBitmap(stored.size);
  const problems: { holding: Holding; problem: HoldingProblem }[] = [];
  for (const holding of holdings) {
    const { offset } = holding;
    if (offset === undefined) problems.push({ holding, problem: "out-of-range" });
    else if (!rebuilt.add(offset)) problems.push({ holding, problem: "duplicate" });
    else if (comparable && !stored.has(offset)) problems.push({ holding, problem: "not-allocated" });
  }
  return { rebuilt, problems };
}
