import type { core } from "@orchernetes/api";
import { AllocationBitmap } from "./allocation-bitmap.ts";
import type { RangeAllocator } from "./range-allocator.ts";

/** One value that a stored service has of a range. */
export interface Holding {
  readonly service: core.Service;
  /** The address or port as text. */
  readonly value: string;
  /** Undefined: it is not in the range. */
  readonly offset: number | undefined;
}

/** What is wrong with a holding. */
export type HoldingProblem = "not-allocated" | "duplicate" | "out-of-range";

/** What a pass over one range found. */
export interface RepairReport {
  readonly problems: readonly { readonly holding: Holding; readonly problem: HoldingProblem }[];
  /** Offsets that no service has: `suspected` may belong to a write that has not ended, `freed` were so for several passes. */
  readonly leaks: { readonly suspected: readonly number[]; readonly freed: readonly number[] };
}

/** Passes that must find an offset unused before it is freed: a write that is under way has taken it before it is stored. */
const passesBeforeLeakIsFreed = 3;

/** How often a pass starts over because allocations changed under it. */
const attempts = 10;

/**
 * Brings what is stored as taken in line with what services have. Remembers suspected leaks from pass to pass, so keep one for
 * each range.
 */
export class RangeRepair {
  readonly #allocator: RangeAllocator;
  /** Remaining passes by offset. */
  #suspects: ReadonlyMap<number, number> = new Map();

  constructor(allocator: RangeAllocator) {
    this.#allocator = allocator;
  }

  /** @param list what services have now, read after the call: what is taken is read first */
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

  /** Leaves suspects in what is rebuilt until they have been unused for long enough. */
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

/** What is taken by the services alone, and what is wrong with any of them. */
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
