import { isAlreadyExists } from "@orchernetes/apimachinery";
import { unknownLeader } from "./election-record.ts";
import type { ResourceLock } from "./resource-lock.ts";

/**
 * Two locks held together, for migrating an election from one kind of object to another: a participant that uses only
 * one of them still excludes the others. If the two name different holders, the leader is unknown, and nobody may
 * take either lock before its lease expires.
 */
export function multiLock(primary: ResourceLock, secondary: ResourceLock): ResourceLock {
  const writeSecondary = async (record: Parameters<ResourceLock["update"]>[0], signal: AbortSignal) => {
    if ((await secondary.get(signal)) === undefined) await secondary.create(record, signal);
    else await secondary.update(record, signal);
  };
  return {
    description: primary.description,
    reference: () => primary.reference(),
    async get(signal) {
      const first = await primary.get(signal);
      if (first === undefined) return undefined;
      const second = await secondary.get(signal);
      if (second === undefined) return first;
      const raw = `${first.raw}\n${second.raw}`;
      if (first.record.holderIdentity === second.record.holderIdentity) return { record: first.record, raw };
      return { record: { ...first.record, holderIdentity: unknownLeader }, raw };
    },
    async create(record, signal) {
      try {
        await primary.create(record, signal);
      } catch (error) {
        // An earlier attempt may have failed after the first of the two writes.
        if (!isAlreadyExists(error)) throw error;
      }
      await secondary.create(record, signal);
    },
    async update(record, signal) {
      await primary.update(record, signal);
      await writeSecondary(record, signal);
    },
  };
}
