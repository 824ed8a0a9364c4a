import { ApiError } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { Authorization } from "./authorization.ts";
import { type Decision, pathAttributes } from "./authorizers/authorizer.ts";

type Answer = Decision | Error;
const allow: Decision = { type: "Allow", reason: "because" };
const deny: Decision = { type: "Deny", reason: "never" };
const pass: Decision = { type: "NoOpinion", reason: "not mine" };
const away = new Error("away");
const attributes = pathAttributes({ name: "alice", groups: [], extra: {} }, "get", "/x");
const forbidden = 'forbidden: User "alice" cannot get path "/x"';

const rows: readonly (readonly [string, readonly Answer[], string])[] = [
  ["nobody is asked", [], `403 ${forbidden}`],
  ["the first that allows decides", [pass, allow, deny], "allowed: because"],
  ["the first that denies decides", [pass, deny, allow], `403 ${forbidden}: never`],
  ["reasons are gathered", [pass, pass], `403 ${forbidden}: not mine\nnot mine`],
  ["another may allow what one cannot decide", [away, allow], "allowed: because"],
  ["another may deny what one cannot decide", [away, deny], `403 ${forbidden}: never`],
  ["nobody decides and one failed", [away, pass], "500 Internal error occurred: away"],
  ["nobody decides and two failed", [away, new Error("broken")], "500 Internal error occurred: [away, broken]"],
];

test.each(rows.flatMap(([...row]) => [[...row, "at once"] as const, [...row, "later"] as const]))(
  "%s",
  async (_name, answers, want, when) => {
    const authorizers = answers.map((answer) => ({
      authorize() {
        if (when === "later") return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    }));
    const found = await Promise.resolve()
      .then(() => new Authorization([new Authorization(authorizers)]).check(attributes))
      .then(
        ({ reason }) => `allowed: ${reason}`,
        (error: unknown) => (error instanceof ApiError ? `${error.code} ${error.message}` : error),
      );
    expect(found).toBe(want);
  },
);
