import { replaceServingFilesOf } from "@orchernetes/testkit";
import { expect, test } from "vitest";

test("replaced certificates and authorities take effect without a restart", async () => {
  // It waits for an API server, and serves meanwhile.
  const report = await replaceServingFilesOf("orch-scheduler", "/metrics", () => ["--master=https://127.0.0.1:1"]);
  expect(report).toEqual({
    before: ["first", "first of the name"],
    after: ["second", "second of the name"],
    answers: [200, 200],
    answersAfter: [200, 401],
    closed: [false, true],
  });
}, 90_000);
