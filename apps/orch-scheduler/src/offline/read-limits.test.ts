import { expect, test } from "vitest";
import { readPods } from "./read-manifest.ts";

test("a file of manifests without an end is rejected", async () => {
  await expect(readPods("/dev/zero")).rejects.toThrow(
    /^"\/dev\/zero" is too large; want a file of at most 3145728 bytes/,
  );
});
