/** Larger than the number of any CPU that Linux supports (`NR_CPUS` is at most 8192). */
const maxCpu = 65_535;

/** A set of CPUs by their numbers. Immutable; {@link CpuSet.numbers} are in ascending order. */
export class CpuSet {
  static readonly empty: CpuSet = new CpuSet([]);
  readonly numbers: readonly number[];
  readonly #members: ReadonlySet<number>;

  private constructor(numbers: readonly number[]) {
    this.numbers = numbers;
    this.#members = new Set(numbers);
  }

  static of(numbers: Iterable<number>): CpuSet {
    return new CpuSet([...new Set(numbers)].sort((a, b) => a - b));
  }

  /** Reads the kernel's form of lists, such as `0-3,7`; "" is the empty set. @throws Error for anything else */
  static parse(text: string): CpuSet {
    if (text.trim() === "") return CpuSet.empty;
    const numbers: number[] = [];
    for (const part of text.split(",")) {
      const [, first, last = first] = /^\s*(\d{1,6})(?:-(\d{1,6}))?\s*$/.exec(part) ?? [];
      const [from, to] = [Number(first), Number(last)];
      // A short text can repeat a long range again and again.
      if (!(from <= to && to <= maxCpu && numbers.length <= maxCpu))
        throw new Error(`invalid list of CPUs ${JSON.stringify(text.slice(0, 256))}; want one such as 0-3,7`);
      for (let cpu = from; cpu <= to; cpu++) numbers.push(cpu);
    }
    return CpuSet.of(numbers);
  }

  static union(sets: Iterable<CpuSet>): CpuSet {
    return CpuSet.of([...sets].flatMap(({ numbers }) => numbers));
  }

  get size(): number {
    return this.numbers.length;
  }

  has(cpu: number): boolean {
    return this.#members.has(cpu);
  }

  union(other: CpuSet): CpuSet {
    return CpuSet.union([this, other]);
  }

  difference(other: CpuSet): CpuSet {
    return this.filter((cpu) => !other.has(cpu));
  }

  intersection(other: CpuSet): CpuSet {
    return this.filter((cpu) => other.has(cpu));
  }

  filter(keep: (cpu: number) => boolean): CpuSet {
    return new CpuSet(this.numbers.filter(keep));
  }

  isSubsetOf(other: CpuSet): boolean {
    return this.numbers.every((cpu) => other.has(cpu));
  }

  equals(other: CpuSet): boolean {
    return this.size === other.size && this.isSubsetOf(other);
  }

  /** The kernel's form of lists, which {@link CpuSet.parse} reads. */
  toString(): string {
    const parts: string[] = [];
    for (let index = 0; index < this.numbers.length; index++) {
      const first = this.numbers[index] ?? 0;
      let last = first;
      while (this.numbers[index + 1] === last + 1) {
        index++;
        last++;
      }
      parts.push(first === last ? String(first) : `${first}-${last}`);
    }
    return parts.join(",");
  }
}
