import { type HttpRequest, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { AuthResult } from "../interfaces/index.ts";
import { Authentication } from "./authentication.ts";

const alice: AuthResult = { type: "authenticated", user: { name: "alice", groups: [], extra: {} } };
const rejected: AuthResult = { type: "rejected", reason: "not valid" };
const noOpinion: AuthResult = { type: "noOpinion" };
const request = { headers: {} } as unknown as HttpRequest;
type Answer = AuthResult | Error;

const rows: readonly (readonly [string, readonly Answer[], boolean, string])[] = [
  ["nobody knows the caller", [noOpinion, noOpinion], true, "system:anonymous"],
  ["nobody may be anonymous", [noOpinion], false, "Unauthorized"],
  ["credentials that do not hold are not anonymous", [rejected, noOpinion], true, "Unauthorized"],
  ["credentials beside others that hold", [rejected, alice], true, "alice"],
  ["an authenticator that fails", [new Error("away"), noOpinion], true, "Unauthorized"],
  ["an authenticator that fails beside one that knows the caller", [new Error("away"), alice], true, "alice"],
];

test.each(rows.flatMap(([...row]) => [[...row, "at once"] as const, [...row, "later"] as const]))(
  "%s",
  async (_name, answers, anonymous, want, when) => {
    const logged: unknown[] = [];
    const authentication = new Authentication({
      anonymous,
      logger: { ...silentLogger, warn: (_message, fields) => logged.push(fields) },
      authenticators: answers.map((answer) => ({
        authenticate() {
          if (answer instanceof Error) {
            if (when === "later") return Promise.reject(answer);
            throw answer;
          }
          return when === "later" ? Promise.resolve(answer) : answer;
        },
      })),
    });
    const notes = { warn() {}, annotate() {} };
    const found = await Promise.resolve()
      .then(() => authentication.authenticate(request, notes))
      .then(
        ({ name }) => name,
        (error: Error) => error.message,
      );
    expect(found).toBe(want);
    expect(logged.length).toBe(
      answers.some((a) => a instanceof Error || a.type === "rejected") && want === "Unauthorized" ? 1 : 0,
    );
  },
);

test("what an authenticator has to say about credentials that it passes over reaches the client", async () => {
  const authentication = new Authentication({
    anonymous: true,
    logger: silentLogger,
    authenticators: [{ authenticate: () => ({ type: "noOpinion", warnings: ["extra space"] }) }],
  });
  const warnings: string[] = [];
  authentication.authenticate(request, { warn: (text) => warnings.push(text), annotate() {} });
  expect(warnings).toEqual(["extra space"]);
});
