import { silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { raiseBuckets } from "./connection-buckets.ts";

async function raised(connections: number, found: () => string, write = async () => undefined) {
  const seen: string[] = [];
  const file = {
    read: async () => found(),
    async write(text: string) {
      seen.push(text);
      await write();
    },
  };
  await raiseBuckets(connections, file, { logger: silentLogger, readOnly: () => void seen.push("read-only") });
  return seen;
}

test.each([
  ["too few are raised to a quarter of the connections", "16384\n", ["32768"]],
  ["enough are left", "32768\n", []],
  ["more are left", "65536\n", []],
])("%s", async (_, found, written) => {
  expect(await raised(131_072, () => found)).toEqual(written);
});

test("where they cannot be read or written, nothing fails, and a read-only file system is reported", async () => {
  const gone = () => {
    throw new Error("ENOENT");
  };
  expect(await raised(4, gone)).toEqual([]);
  const fail = (code: string) => async () => {
    throw Object.assign(new Error(code), { code });
  };
  expect(await raised(131_072, () => "1", fail("EROFS"))).toEqual(["32768", "read-only"]);
  expect(await raised(131_072, () => "1", fail("EACCES"))).toEqual(["32768"]);
});
