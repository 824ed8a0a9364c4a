import { expect, test } from "vitest";
import { Authentication, CredentialsRejected } from "./authentication.ts";
import type { AuthRequest, AuthResult } from "./authenticators/authenticator.ts";

const alice: AuthResult = { type: "authenticated", user: { name: "alice", groups: [], extra: {} } };
const rejected: AuthResult = { type: "rejected", reason: "not valid" };
const noOpinion: AuthResult = { type: "noOpinion" };
const request = { headers: {} } as unknown as AuthRequest;
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
      logger: { warn: (_message, fields) => logged.push(fields) },
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
    let isRejected = false;
    const found = await Promise.resolve()
      .then(() => authentication.authenticate(request, notes))
      .then(
        ({ name }) => name,
        (error: Error) => {
          isRejected = error instanceof CredentialsRejected;
          return error.message;
        },
      );
    expect(found).toBe(want);
    expect(isRejected).toBe(want === "Unauthorized" && answers.length > 1);
    expect(logged.length).toBe(
      answers.some((a) => a instanceof Error || a.type === "rejected") && want === "Unauthorized" ? 1 : 0,
    );
  },
);

test("what an authenticator has to say about credentials that it passes over reaches the client", async () => {
  const authentication = new Authentication({
    anonymous: true,
    logger: { warn() {} },
    authenticators: [{ authenticate: () => ({ type: "noOpinion", warnings: ["extra space"] }) }],
  });
  const warnings: string[] = [];
  authentication.authenticate(request, { warn: (text) => warnings.push(text), annotate() {} });
  expect(warnings).toEqual(["extra space"]);
});

test.each([
  ["alice", ["system:authenticated"]],
  ["system:anonymous", []],
])("a user named %s gets groups %j, as the same object each time", async (name, groups) => {
  const user = { name, groups: [], extra: {} };
  const authentication = new Authentication({
    anonymous: false,
    logger: { warn() {} },
    authenticators: [{ authenticate: () => ({ type: "authenticated", user }) }],
  });
  const notes = { warn() {}, annotate() {} };
  const found = await authentication.authenticate(request, notes);
  expect(found.groups).toEqual(groups);
  expect(await authentication.authenticate(request, notes)).toBe(found);
});
