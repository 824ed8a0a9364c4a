import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { systemEventLoop } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { Writer, type WriterOptions } from "./writer.ts";

test("a failing background task does not cause an unhandled rejection", async () => {
  const hidden = Promise.withResolvers<never>();
  const writer = new Writer({
    loop: systemEventLoop,
    directory: tmpdir(),
    history: { writing: false },
    tables: { root: { committed: hidden.promise } },
  } as unknown as WriterOptions);
  const unhandled: unknown[] = [];
  const listen = (error: unknown) => void unhandled.push(error);
  const before = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", listen);
  try {
    await expect(
      writer.chore(async () => {
        await sleep(20);
        hidden.reject(new Error("Commit failed"));
        throw new Error("No space left on device");
      }),
    ).rejects.toMatchObject({ reason: "NoSpace" });
    await sleep(50);
  } finally {
    process.off("unhandledRejection", listen);
    for (const listener of before) process.on("unhandledRejection", listener);
  }
  expect(unhandled).toEqual([]);
});
