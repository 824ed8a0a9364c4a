import { expect, test } from "vitest";
import { Recent } from "./recent.ts";

test("keys in use are kept, and at most twice the capacity", () => {
  const recent = new Recent<number, string>(10);
  for (let n = 0; n < 1000; n++) {
    recent.set(n, `v${n}`);
    if (n >= 3) expect(recent.get(3)).toBe("v3");
  }
  const kept = Array.from({ length: 1000 }, (_, n) => n).filter((n) => recent.get(n) !== undefined);
  expect(kept).toContain(999);
  expect(kept).toContain(992);
  expect(kept).toContain(3);
  expect(kept.length).toBeLessThanOrEqual(20);
});
