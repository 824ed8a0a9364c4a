import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../random.ts";
import { actorMakers } from "./actors.ts";
import { diceOf } from "./dice.ts";
import type { Writer } from "./writer.ts";

/** Longest pause before the creation of an owner, and between two of its changes. */
const PAUSE_MS = 900;
/** The fewest and the most changes of an owner. */
const CHANGES = [3, 6] as const;

/**
 * Creates an owner of every kind and changes each several times, all of them at the same time. Resolves when everything is written.
 *
 * @param random returns numbers in [0, 1). Every owner gets its own sequence from it, so that the timing of one does not change
 *   another.
 */
export async function runWorkload(writer: Writer, random: () => number): Promise<void> {
  await Promise.all(
    actorMakers.map(async (make) => {
      const own = seededRandom(Math.floor(random() * 2 ** 32));
      const dice = diceOf(own);
      const actor = make(writer, dice);
      const changes = dice.int(...CHANGES);
      await sleep(own() * PAUSE_MS);
      await actor.create();
      for (let i = 0; i < changes; i++) {
        await sleep(own() * PAUSE_MS);
        await actor.change();
      }
    }),
  );
}
