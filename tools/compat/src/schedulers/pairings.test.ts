import { expect, test } from "vitest";
import { ownPairing, runPairing } from "./pairings.ts";

test("a scheduler behind the proxy does what it does without one", async () => {
  const { results, logs } = await runPairing(ownPairing, "", () => undefined);
  expect(
    results.filter(({ error }) => error !== undefined),
    logs,
  ).toEqual([]);
  expect(results).toHaveLength(9);
}, 120_000);
