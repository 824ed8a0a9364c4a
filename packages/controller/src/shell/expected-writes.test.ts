import { conflict } from "@orchernetes/apimachinery";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { Expectations } from "./expectations.ts";
import { createExpected, deleteExpected } from "./expected-writes.ts";

const refused = conflict({ group: "", plural: "pods" }, "a");
const object = (uid: string) => ({ metadata: { name: uid, uid, resourceVersion: "1", creationTimestamp: "" } });

test.each([
  ["all succeed: all are expected", -1, 3, 0, false],
  ["one fails: the rest is left out and nothing of it expected", 0, 0, 2, true],
])("creations of which %s", async (_, failing, seen, leftOut, satisfied) => {
  const expectations = new Expectations(new FakeClock());
  let skipped = 0;
  const creating = createExpected(
    expectations,
    "k",
    3,
    async (i) => {
      expect(expectations.satisfied("k")).toBe(false);
      if (i === failing) throw refused;
    },
    (count) => {
      skipped = count;
    },
  );
  if (failing === -1) await creating;
  else await expect(creating).rejects.toBe(refused);
  expect([skipped, expectations.satisfied("k")]).toEqual([leftOut, satisfied]);
  expectations.creationObserved("k", seen);
  expect(expectations.satisfied("k")).toBe(true);
});

test.each<[string, (uid: string) => Promise<boolean>, boolean, boolean]>([
  ["that succeed are expected", async () => true, false, false],
  ["of what is gone already are not expected", async () => false, true, false],
  ["that fail are not expected", () => Promise.reject(refused), true, true],
])("deletions %s", async (_, remove, satisfied, fails) => {
  const expectations = new Expectations(new FakeClock());
  const deleting = deleteExpected(expectations, "k", [object("a"), object("b")], ({ metadata }) =>
    remove(metadata.uid),
  );
  if (fails) await expect(deleting).rejects.toBe(refused);
  else await deleting;
  expect(expectations.satisfied("k")).toBe(satisfied);
});
