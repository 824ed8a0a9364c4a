import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { pullCredentials } from "./pull-secrets.ts";

const base64 = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64");
const entry = { auth: base64("user:pass:word") };

/** The user names found for an image with one pull secret that has these data. */
async function usersFor(
  image: string,
  data: Readonly<Record<string, string>> | undefined,
): Promise<readonly unknown[]> {
  const pod = testPod({ imagePullSecrets: [{ name: "s" }] });
  const secret = async () => (data === undefined ? undefined : ({ data } as unknown as core.Secret));
  const found = await pullCredentials(pod, image, { secret, configMap: async () => undefined });
  return found.map(({ username, password }) => `${username}:${password}`);
}

const configFor = (server: string) => ({ ".dockerconfigjson": base64({ auths: { [server]: entry } }) });

test.each([
  ["the registry", "registry.example/app", "registry.example"],
  ["a URL", "registry.example/app", "https://registry.example/v2/"],
  ["a port", "registry.example:5000/app", "registry.example:5000"],
  ["a path in the registry", "registry.example/team/app", "registry.example/team"],
  ["a glob", "registry.example/app", "*.example"],
  ["a glob in a URL with a path", "a.registry.example/team/app", "https://a.*.example/team/"],
  ["the beginning of a path", "registry.example/teams/app", "registry.example/team"],
  ["a path after the version", "registry.example/team/app", "https://registry.example/v1/team"],
  ["a digest", "registry.example:5000/app:1@sha256:00", "registry.example:5000"],
  ["Docker Hub by its old name", "nginx", "https://index.docker.io/v1/"],
  ["Docker Hub", "library/nginx:1", "docker.io"],
])("credentials are found by %s", async (_, image, server) => {
  expect(await usersFor(image, configFor(server))).toEqual(["user:pass:word"]);
});

test("very many credentials are not all tried, because each is a pull for which all pods wait", async () => {
  const auths = (count: number, auth: (i: number) => string) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `${"https://".repeat(i % 2)}r.example${"/v1/".repeat(i)}`,
        { auth: auth(i) },
      ]),
    );
  const of = (value: object) => ({ ".dockerconfigjson": base64({ auths: value }) });
  expect(await usersFor("r.example/app", of({ "r.example": entry, "https://r.example": entry }))).toEqual([
    "user:pass:word",
  ]);
  let reads = 0;
  const secret = async (_: string, name: string) => {
    reads += 1;
    return { data: of(auths(2, (i) => base64(`u${name}:p${i}`))) } as unknown as core.Secret;
  };
  const imagePullSecrets = Array.from({ length: 5000 }, (_, i) => ({ name: `s${i % 1000}` }));
  const found = await pullCredentials(testPod({ imagePullSecrets }), "r.example/app", {
    secret,
    configMap: async () => undefined,
  });
  expect(found).toHaveLength(20);
  expect(reads).toBeLessThanOrEqual(20);
});

test("credentials for longer paths are tried first, and those of Docker Hub's other name only if there are no others", async () => {
  const of = (user: string) => ({ auth: base64(`${user}:p`) });
  const data = {
    ".dockerconfigjson": base64({
      auths: {
        "*.example": of("any"),
        "registry.example": of("registry"),
        "registry.example/team/one": of("one"),
        "registry.example/team": of("team"),
        "https://index.docker.io/v1/": of("hub"),
        "docker.io/team": of("hub-team"),
      },
    }),
  };
  expect(await usersFor("registry.example/team/one/app", data)).toEqual(["one:p", "team:p", "registry:p", "any:p"]);
  expect(await usersFor("docker.io/team/app", data)).toEqual(["hub-team:p"]);
  expect(await usersFor("docker.io/other/app", data)).toEqual(["hub:p"]);
});

test.each([
  ["another registry", "registry.example/app", "other.example"],
  ["a host with more labels than the glob", "a.registry.example/app", "*.example"],
  ["another port", "registry.example:5000/app", "registry.example"],
  ["a registry whose name begins alike", "registry.example/app", "registry.exam"],
  ["another path", "registry.example/other/app", "registry.example/team"],
])("credentials for %s are not used", async (_, image, server) => {
  const users = await usersFor(image, configFor(server));
  expect(users).toEqual([]);
});

test.each<[string, Readonly<Record<string, string>> | undefined]>([
  ["missing", undefined],
  ["without a document", {}],
  ["not JSON", { ".dockerconfigjson": base64("{") }],
  ["not an object", { ".dockerconfigjson": base64("[]") }],
  ["with an invalid entry", { ".dockerconfigjson": base64({ auths: { "docker.io": 1 } }) }],
])("a secret that is %s is skipped", async (_, data) => {
  expect(await usersFor("nginx", data)).toEqual([]);
});

test("the older format has no auths member, and explicit names override auth", async () => {
  const document = { "docker.io": { ...entry, username: "other", password: "p" } };
  expect(await usersFor("nginx", { ".dockercfg": base64(document) })).toEqual(["other:p"]);
});

test("credentials name no server, because a runtime also uses them for mirrors of the registry", async () => {
  const pod = testPod({ imagePullSecrets: [{ name: "s" }] });
  const secret = async () => ({ data: configFor("registry.example") }) as unknown as core.Secret;
  const [found] = await pullCredentials(pod, "registry.example/app", { secret, configMap: async () => undefined });
  expect(found?.serverAddress ?? "").toBe("");
});
