import { join } from "node:path";
import { replaceServingFilesOf } from "@orchernetes/testkit";
import { expect, test } from "vitest";

test("replaced certificates and authorities take effect without a restart", async () => {
  const report = await replaceServingFilesOf("orch-apiserver", "/metrics", (dir) => [
    "--advertise-address=127.0.0.1",
    "--authorization-mode=RBAC",
    `--cert-dir=${dir}`,
    "--storage-backend=embedded",
    `--embedded-store-path=${join(dir, "store")}`,
  ]);
  expect(report).toEqual({
    before: ["first", "first of the name"],
    after: ["second", "second of the name"],
    answers: [200, 200],
    answersAfter: [200, 401],
    closed: [false, true],
  });
}, 90_000);
