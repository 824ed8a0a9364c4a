import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { nextPressure, noPressure, type PressureState, shownPressure } from "./pressure-state.ts";
import { type EvictionSignal, evictionSignals, type SignalReading } from "./signals.ts";
import { evictionThresholds, type Threshold } from "./thresholds.ts";

const nodes = 300;
const checksEach = 20;

type Numbers = (bound: number) => number;
type Amount = { readonly bytes: number } | { readonly percent: number };

/** A threshold in the terms of the model. */
interface Plain {
  readonly signal: EvictionSignal;
  readonly least: Amount;
  readonly graceMs: number;
  readonly reclaim: Amount | undefined;
}

const amount = (below: Numbers): Amount => (below(2) === 0 ? { bytes: 1 + below(400) } : { percent: 1 + below(40) });
const textOf = (one: Amount): string => ("bytes" in one ? String(one.bytes) : `${one.percent}%`);
const inBytes = (one: Amount, capacity: number): number =>
  "bytes" in one ? one.bytes : Math.trunc(capacity * Math.fround(Math.fround(one.percent) / 100));
const pressureOf = (signal: string): "memory" | "disk" | "pids" =>
  signal.endsWith("emory.available") ? "memory" : signal.startsWith("pid") ? "pids" : "disk";

/** Settings by chance: the configuration, and what it means. */
function settings(below: Numbers) {
  const configurable = evictionSignals.filter((signal) => signal !== "allocatableMemory.available");
  const pick = () => configurable.filter(() => below(3) === 0).map((signal) => [signal, amount(below)] as const);
  const [hard, soft, reclaim] = [pick(), pick(), pick()];
  const grace = new Map(soft.map(([signal]) => [signal, below(4) * 20_000]));
  const ofPods = below(2) === 0;
  const reclaimOf = new Map(reclaim);
  const plain: Plain[] = [
    ...hard.map(([signal, least]) => ({ signal, least, graceMs: 0, reclaim: reclaimOf.get(signal) })),
    ...soft.map(([signal, least]) => ({
      ...{ signal, least },
      graceMs: grace.get(signal) ?? 0,
      reclaim: reclaimOf.get(signal),
    })),
  ];
  const ofMemory = plain.filter(({ signal }, i) => ofPods && i < hard.length && signal === "memory.available");
  plain.push(...ofMemory.map((one): Plain => ({ ...one, signal: "allocatableMemory.available" })));
  const fields = {
    evictionHard: Object.fromEntries(hard.map(([signal, one]) => [signal, textOf(one)])),
    evictionSoft: Object.fromEntries(soft.map(([signal, one]) => [signal, textOf(one)])),
    evictionSoftGracePeriod: Object.fromEntries([...grace].map(([signal, ms]) => [signal, `${ms / 1000}s`])),
    evictionMinimumReclaim: Object.fromEntries(reclaim.map(([signal, one]) => [signal, textOf(one)])),
    enforceNodeAllocatable: ofPods ? ["pods"] : [],
  };
  return { plain, fields, transitionMs: 1 + below(4) * 25_000 };
}

/** The checks of the original's eviction manager, one after the other. */
class Model {
  #first = new Map<Plain, number>();
  readonly #conditions = new Map<string, number>();
  #met: readonly Plain[] = [];
  readonly #thresholds: readonly Plain[];
  readonly #transitionMs: number;

  constructor(thresholds: readonly Plain[], transitionMs: number) {
    this.#thresholds = thresholds;
    this.#transitionMs = transitionMs;
  }

  check(readings: ReadonlyMap<string, SignalReading>, nowMs: number) {
    const isMet = ({ signal, least, reclaim }: Plain, withReclaim: boolean): boolean => {
      const seen = readings.get(signal);
      if (seen === undefined) return false;
      const more = withReclaim && reclaim !== undefined ? inBytes(reclaim, seen.capacity) : 0;
      return inBytes(least, seen.capacity) + more > seen.available;
    };
    const now = this.#thresholds.filter((one) => isMet(one, false) || (this.#met.includes(one) && isMet(one, true)));
    this.#first = new Map(now.map((one) => [one, this.#first.get(one) ?? nowMs]));
    for (const { signal } of now) this.#conditions.set(pressureOf(signal), nowMs);
    this.#met = now.filter((one) => nowMs - (this.#first.get(one) ?? nowMs) >= one.graceMs);
    const isShown = (kind: string) =>
      nowMs - (this.#conditions.get(kind) ?? Number.NEGATIVE_INFINITY) < this.#transitionMs;
    return { due: this.#met, memory: isShown("memory"), disk: isShown("disk"), pids: isShown("pids") };
  }
}

const key = (signal: string, minimum: string, graceMs: number): string => `${signal} ${minimum} ${graceMs}`;
const sorted = (list: readonly string[]): string => [...list].sort().join();

test(`thresholds are met and pressure is shown as in the original, on ${nodes} random nodes with ${checksEach} checks each`, () => {
  const below = seededNumbers(47);
  const seen = { due: 0, pressure: 0, late: 0 };
  for (let n = 0; n < nodes; n++) {
    const { plain, fields, transitionMs } = settings(below);
    const model = new Model(plain, transitionMs);
    const thresholds = evictionThresholds(fields);
    let state: PressureState = noPressure;
    let nowMs = below(1000);
    for (let check = 0; check < checksEach; check++) {
      nowMs += below(5) === 0 ? below(60_000) : 10_000;
      const level = below(3) === 0 ? 100 : 500;
      const readings = new Map(
        evictionSignals
          .filter(() => below(10) > 0)
          .map((signal): [EvictionSignal, SignalReading] => [signal, { available: below(level), capacity: 1000 }]),
      );
      const want = model.check(readings, nowMs);
      state = nextPressure(state, thresholds, readings, nowMs);
      const shown = shownPressure(state, transitionMs, nowMs);
      const due = state.due.map(({ signal, minimum, graceMs }: Threshold) => key(signal, minimum, graceMs));
      const result = { due: sorted(due), memory: shown.memory, disk: shown.disk, pids: shown.pids };
      const wanted = { ...want, due: sorted(want.due.map((one) => key(one.signal, textOf(one.least), one.graceMs))) };
      seen.due += due.length;
      seen.pressure += Number(shown.disk);
      seen.late += Number(shown.disk && !due.some((one) => pressureOf(one) === "disk"));
      const given = () => JSON.stringify({ n, check, fields, transitionMs, readings: [...readings] });
      if (JSON.stringify(result) !== JSON.stringify({ ...result, ...wanted })) expect(result, given()).toEqual(wanted);
      // Memory is reclaimed before anything else.
      const isMemory = state.due.map(({ signal }) => pressureOf(signal) === "memory");
      if (isMemory.lastIndexOf(true) >= isMemory.filter(Boolean).length)
        expect(isMemory, given()).toEqual(isMemory.toSorted());
    }
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(nodes / 2);
});
