import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "@orchernetes/component";
import { type CredentialProviderConfig, credentialProviderConfigSchema } from "@orchernetes/config";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCredentialProviders } from "./credential-providers.ts";

const version = "credentialprovider.orchlet.o8s.io/v1";

let dir: string;
let clock: FakeClock;
let stop: AbortController;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-providers-"));
  clock = new FakeClock();
  stop = new AbortController();
});
afterEach(() => {
  stop.abort(new Error("the test is over"));
  rmSync(dir, { recursive: true });
});

/** Writes a program that notes each request, and answers with a script's output. */
function program(name: string, script: string): void {
  writeFileSync(
    join(dir, name),
    `#!/bin/sh\ncat >> ${join(dir, name)}.log\necho >> ${join(dir, name)}.log\n${script}\n`,
    {
      mode: 0o700,
    },
  );
}
const requests = (name: string): readonly string[] => {
  try {
    return readFileSync(join(dir, `${name}.log`), "utf8")
      .trim()
      .split("\n");
  } catch {
    return [];
  }
};
const answer = (fields: object): string =>
  `echo '${JSON.stringify({ apiVersion: version, kind: "CredentialProviderResponse", cacheKeyType: "Image", ...fields })}'`;
const user = (username: string, pattern = "registry.example") => ({ auth: { [pattern]: { username, password: "p" } } });

function start(...providers: readonly Partial<CredentialProviderConfig["providers"][number]>[]) {
  const errors: string[] = [];
  const metrics = createMetrics();
  const config = credentialProviderConfigSchema.parse({
    apiVersion: "orchlet.config.o8s.io/v1",
    kind: "CredentialProviderConfig",
    providers: providers.map((provider) => ({
      name: "a",
      matchImages: ["registry.example"],
      apiVersion: version,
      ...provider,
      defaultCacheDuration: "10m",
    })),
  });
  const logger = { ...silentLogger, error: (error: unknown) => void errors.push(String(error)) };
  const found = createCredentialProviders({ config, binDir: dir, clock, logger, metrics, signal: stop.signal });
  const users = async (image: string) => (await found.credentialsFor(image)).map(({ username }) => username);
  return { users, errors, metrics };
}

// shows: --image-credential-provider-config, --image-credential-provider-bin-dir
test("a program receives the repository and the variables of its entry, and the agent uses its credentials", async () => {
  program("a", `echo "$@ $GREETING" > ${dir}/args; ${answer(user("alice"))}`);
  const { users, errors } = start({ args: ["--x", "a b"], env: [{ name: "GREETING", value: "hi" }] });
  expect(await users("registry.example/team/app:1")).toEqual(["alice"]);
  expect(errors).toEqual([]);
  expect(requests("a").map((line) => JSON.parse(line))).toEqual([
    { kind: "CredentialProviderRequest", apiVersion: version, image: "registry.example/team/app" },
  ]);
  expect(readFileSync(join(dir, "args"), "utf8")).toBe("--x a b hi\n");
});

test("images that no pattern matches run no program", async () => {
  program("a", answer(user("alice")));
  expect(await start({}).users("other.example/app")).toEqual([]);
  expect(requests("a")).toEqual([]);
});

test.each([
  ["Image", 3],
  ["Registry", 2],
  ["Global", 1],
])("a response is cached for: %s", async (cacheKeyType, want) => {
  program("a", answer({ cacheKeyType, auth: {} }));
  const { users } = start({ matchImages: ["*.example"] });
  for (const image of ["one.example/a:1", "one.example/a:2", "one.example/b", "two.example/a"]) await users(image);
  expect(requests("a")).toHaveLength(want);
});

test.each([
  ["the default", {}, 9, 1],
  ["the default, which is over", {}, 11, 2],
  ["the time that it says", { cacheDuration: "20m" }, 19, 1],
  ["no time", { cacheDuration: "0s" }, 0, 2],
] as const)("the duration for which a response is cached: %s", async (_, fields, minutes, want) => {
  program("a", answer({ ...user("alice"), ...fields }));
  const { users } = start({});
  await users("registry.example/a");
  clock.advance(minutes * 60_000);
  expect(await users("registry.example/a")).toEqual(["alice"]);
  expect(requests("a")).toHaveLength(want);
});

test("for an image that is pulled several times at once, the program runs only once", async () => {
  program("a", answer(user("alice")));
  const { users } = start({});
  expect(await Promise.all([users("registry.example/a"), users("registry.example/a")])).toEqual([["alice"], ["alice"]]);
  expect(requests("a")).toHaveLength(1);
});

test("of several programs, the entry of the first one is used, and the longest path comes first", async () => {
  program("a", answer(user("first")));
  program("b", answer({ auth: { ...user("second").auth, ...user("team", "registry.example/team").auth } }));
  const { users } = start({}, { name: "b" });
  expect(await users("registry.example/team/app")).toEqual(["team", "first"]);
  expect(await users("registry.example/app")).toEqual(["first"]);
});

test.each<[string, string, RegExp]>([
  ["fails", "echo the reason >&2; exit 3", /it exited with code 3: the reason/],
  ["answers with garbage", "echo secret", /characters that are not JSON/],
  ["answers with nothing", "true", /0 characters that are not JSON/],
  [
    "answers with another version",
    answer({ apiVersion: "x/v9" }),
    /did not match expected apiVersion:.*actual apiVersion:"x\/v9"/,
  ],
  ["answers with another kind", answer({ kind: "Pod" }), /kind of the response is "Pod"/],
  ["answers without a key type", answer({ cacheKeyType: "" }), /did not return a valid cacheKeyType/],
  [
    "answers with credentials of another form",
    answer({ auth: { "registry.example": "p" } }),
    /want a username and a password/,
  ],
  ["writes without end", "exec cat /dev/zero", /it wrote more than 1048576 bytes/],
])(
  "a program that %s returns no credentials, and the log contains the reason without the program's output",
  async (_, script, want) => {
    program("a", script);
    program("b", answer(user("second")));
    const { users, errors, metrics } = start({}, { name: "b" });
    expect(await users("registry.example/app")).toEqual(["second"]);
    expect(errors).toEqual([expect.stringMatching(want)]);
    expect(errors[0]).not.toContain("secret");
    expect(metrics.render()).toContain('orchlet_credential_provider_plugin_errors{plugin_name="a"} 1');
  },
);

test("a missing program returns no credentials", async () => {
  const { users, errors } = start({});
  expect(await users("registry.example/app")).toEqual([]);
  expect(errors).toEqual([expect.stringMatching(/ENOENT/)]);
});

test("a program that does not respond within a minute is killed with its children", async () => {
  program("a", `sleep 600 & echo $! > ${dir}/child; wait`);
  const { users, errors } = start({});
  const asked = users("registry.example/app");
  await expect.poll(() => requests("a").length).toBe(1);
  const child = () => Number(readFileSync(join(dir, "child"), "utf8"));
  await expect.poll(() => child() > 0).toBe(true);
  clock.advance(60_000);
  expect(await asked).toEqual([]);
  expect(errors).toEqual([expect.stringMatching(/did not answer within 60 s/)]);
  const isAlive = (): boolean => {
    try {
      process.kill(child(), 0);
      return !readFileSync(`/proc/${child()}/stat`, "utf8").includes(") Z ");
    } catch {
      return false;
    }
  };
  await expect.poll(isAlive).toBe(false);
});
