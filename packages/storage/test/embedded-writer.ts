/** A process to be killed: writes to the store named by its argument, and prints each commit only after it was acknowledged. */
import { writeSync } from "node:fs";
import { openEmbeddedStore } from "../src/index.ts";

const path = process.argv[2] ?? "";
const store = await openEmbeddedStore({ path });
const seed = await store.revision();
await Promise.all(
  Array.from({ length: 16 }, async (_, caller) => {
    for (let i = 0; ; i++) {
      // Both keys carry the same value: seeing one without the other would be a torn commit.
      const value = Buffer.from(`${seed}-${caller}-${i}-${"x".repeat((i * 37) % 3000)}`);
      const keys = [`/registry/left/${caller}-${i % 50}`, `/registry/right/${caller}-${i % 50}`];
      const result = await store.commit(
        [],
        keys.map((key) => ({ type: "put", key, value })),
      );
      writeSync(1, `${result.revision} ${caller}-${i % 50} ${value.length}\n`);
      if (caller === 0 && i % 20 === 19) await store.compact(result.revision);
    }
  }),
);
