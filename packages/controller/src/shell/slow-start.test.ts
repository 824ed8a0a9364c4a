import { expect, test } from "vitest";
import { slowStartBatch } from "./slow-start.ts";

test.each([
  [0, -1, { made: 0, groups: 0, succeeded: 0, skipped: 0 }],
  [1, -1, { made: 1, groups: 1, succeeded: 1, skipped: 0 }],
  [10, -1, { made: 10, groups: 4, succeeded: 10, skipped: 0 }],
  [10, 0, { made: 1, groups: 1, succeeded: 0, skipped: 9 }],
  [10, 4, { made: 7, groups: 3, succeeded: 6, skipped: 3 }],
])("%i calls, call %i failing", async (count, failing, want) => {
  let made = 0;
  let groups = 0;
  let ticking = false;
  const result = await slowStartBatch(count, async (index) => {
    made += 1;
    if (!ticking) {
      ticking = true;
      groups += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
    ticking = false;
    if (index === failing) throw new Error("no");
  });
  expect({ made, groups, succeeded: result.succeeded, skipped: result.skipped }).toEqual(want);
  expect(result.error === undefined).toBe(failing === -1);
});
