import { expect, test } from "vitest";
import { caseSeed, Random } from "../random.ts";
import { httpTargets } from "./http-targets.ts";
import { judgeAnswer } from "./judge-answer.ts";

const environment = { endpoint: { port: 1, ca: Buffer.alloc(0) }, token: "", continueTokens: [] };

test.each([12_995, 170_015, 189_247])("case %i does not delete the namespace that the others need", (index) => {
  const paths = httpTargets(environment).find(({ name }) => name === "http-paths");
  expect(paths?.generate(new Random(caseSeed(1, index)))).toMatchObject({
    method: "GET",
    target: expect.stringMatching(/^\/api\/v1\/namespaces\/fuzz(?:\?|$)/),
  });
});

test.each([
  ["?resourceVersion=999999999&timeout=1s", undefined],
  ["?timeout=1s", expect.stringContaining("504 for GET")],
  ["?resourceVersion=999999999", expect.stringContaining("504 for GET")],
])("a request to /api/v1/pods%s that times out: %j", (query, want) => {
  const body = { kind: "Status", status: "Failure", message: "Timeout: request did not complete", code: 504 };
  const answer = {
    status: 504,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(body)),
    complete: true,
  };
  const input = { method: "GET", target: `/api/v1/pods${query}`, headers: [], body: "" };
  expect(judgeAnswer(input, answer as Parameters<typeof judgeAnswer>[1])).toEqual(want);
});
