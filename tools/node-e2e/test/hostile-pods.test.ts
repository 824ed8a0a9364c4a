import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeObject } from "@orchernetes/client/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shell } from "../src/pods.ts";
import { readAgent } from "../src/read-agent.ts";
import { cannotRun, startTestNode, type TestNode, title } from "../src/test-node.ts";

/** What no pod without a right to files of the host may see, and a folder in which none may write. */
const SECRET = "the secret of the host";

const mount = (name: string, mountPath: string, more: object = {}) => ({ name, mountPath, ...more });

describe.skipIf(cannotRun !== undefined)(title("pods that try to reach files of the host"), () => {
  let node: TestNode;
  let host: string;
  const waiting = (name: string) => node.shown(name)?.status?.containerStatuses?.[0]?.state?.waiting?.message ?? "";
  const output = (name: string) => readAgent(`${node.url}/containerLogs/default/${name}/c`).then(({ body }) => body);

  beforeAll(async () => {
    host = mkdtempSync(join(tmpdir(), "o8s-host-"));
    writeFileSync(join(host, "secret"), SECRET, { mode: 0o600 });
    mkdirSync(join(host, "folder"));
    node = await startTestNode();
    node.api.put("/api/v1/configmaps", {
      metadata: { namespace: "default", name: "texts" },
      data: { text: "harmless", "..": "x", "../../../../../../../tmp/o8s-hostile-key": "x" },
    } as FakeObject);
    await node.until("the node to be ready", () => node.condition("Ready") === "True");
  });
  afterAll(async () => {
    await node?.stop();
    if (host !== undefined) rmSync(host, { recursive: true, force: true });
  });
  const untouched = () => {
    expect(readFileSync(join(host, "secret"), "utf8")).toBe(SECRET);
    expect(statSync(join(host, "secret")).mode & 0o777).toBe(0o600);
    expect(readdirSync(host).sort()).toEqual(["folder", "secret"]);
    expect(readdirSync(join(host, "folder"))).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("o8s-hostile"))).toEqual([]);
  };

  test.each<[name: string, link: string, subPath: string]>([
    ["a folder above", "/", "../../../../../../../.."],
    ["an absolute path", "/", "/etc"],
    ["a link to the root", "/", "link"],
    ["a file behind a link to the root", "/", "link/etc/shadow"],
    ["a link to the files of the process", "/proc/self/root", "link/etc/shadow"],
    ["a link with many steps up", "../../../../../../../../../../etc", "link/shadow"],
    ["a link to itself", "link", "link/x"],
  ])("do not start with a subPath that is %s", async (what, link, subPath) => {
    const name = `sub-${what.replaceAll(" ", "-")}`;
    node.create(
      name,
      { ...shell("cat /data/* /data; ls -R /data; sleep 600"), volumeMounts: [mount("v", "/data", { subPath })] },
      {
        initContainers: [
          {
            name: "i",
            image: "localhost/busybox:1",
            ...shell(`ln -s ${link} /v/link`),
            volumeMounts: [mount("v", "/v")],
          },
        ],
        volumes: [{ name: "v", emptyDir: {} }],
      },
    );
    await node.until(`${name} to be refused`, () => waiting(name) !== "" && waiting(name) !== "PodInitializing");
    expect(waiting(name)).toMatch(/subPath|ELOOP|too many/i);
    expect(node.shown(name)?.status?.phase).toBe("Pending");
    expect(node.shown(name)?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    node.api.remove("/api/v1/pods", `default/${name}`);
    untouched();
  });

  test.each<[what: string, volume: object]>([
    ["a volume whose name leads elsewhere", { name: "../../../../../../tmp/o8s-hostile", emptyDir: {} }],
    [
      "a key that leads elsewhere",
      {
        name: "v",
        configMap: { name: "texts", items: [{ key: "text", path: "../../../../../../../tmp/o8s-hostile" }] },
      },
    ],
    [
      "an absolute path of a key",
      { name: "v", configMap: { name: "texts", items: [{ key: "text", path: "/tmp/o8s-hostile" }] } },
    ],
    ["keys that are paths", { name: "v", configMap: { name: "texts" } }],
    [
      "a path of the downward API that leads elsewhere",
      {
        name: "v",
        downwardAPI: {
          items: [{ path: "../../../../../../../../tmp/o8s-hostile", fieldRef: { fieldPath: "metadata.name" } }],
        },
      },
    ],
  ])("write nothing there through %s", async (what, volume) => {
    const name = `volume-${what.replaceAll(" ", "-").toLowerCase()}`;
    const { name: volumeName } = volume as { readonly name: string };
    node.create(name, { ...shell("sleep 600"), volumeMounts: [mount(volumeName, "/data")] }, { volumes: [volume] });
    await node.until("a refusal", () => node.events(name).some((event) => /^Failed/.test(event)), 60_000);
    expect(node.shown(name)?.status?.phase).not.toBe("Running");
    untouched();
    node.api.remove("/api/v1/pods", `default/${name}`);
    await node.until("the node to stay ready", () => node.condition("Ready") === "True");
  });

  test.each(["../../../../../../tmp/o8s-hostile", "..", "a/b"])(
    "write nothing there through the uid %j",
    async (uid) => {
      const name = "strange-uid";
      node.create(name, shell("sleep 600"), {}, { uid });
      await new Promise((resolve) => setTimeout(resolve, 3000));
      expect(node.shown(name)?.status?.phase).not.toBe("Running");
      untouched();
      node.api.remove("/api/v1/pods", `default/${name}`);
      node.create("after-uid", shell("sleep 600"));
      await node.untilPhase("after-uid", "Running");
      node.api.remove("/api/v1/pods", "default/after-uid");
    },
  );

  test("do not start with a hostPath whose type differs from what is there", async () => {
    const cases = [
      { path: join(host, "secret"), type: "Directory" },
      { path: join(host, "folder"), type: "File" },
      { path: join(host, "folder"), type: "Socket" },
      { path: "/dev/null", type: "BlockDevice" },
    ];
    for (const [i, hostPath] of cases.entries())
      node.create(
        `typed-${i}`,
        { ...shell("touch /data/x; sleep 600"), volumeMounts: [mount("v", "/data")] },
        { volumes: [{ name: "v", hostPath }] },
      );
    await node.until(
      "events",
      () => node.events().filter((event) => event.includes("hostPath type check failed")).length >= cases.length,
    );
    for (const i of cases.keys()) expect(node.shown(`typed-${i}`)?.status?.phase).toBe("Pending");
    untouched();
  });

  /** A container that may change everything in the agent's folder, as one with the right to such a hostPath can. */
  const owner = (command: string) => ({
    ...shell(command),
    volumeMounts: [mount("agent", "/agent"), mount("host", "/host", { readOnly: true })],
  });
  const ownerVolumes = () => ({
    volumes: [
      { name: "agent", hostPath: { path: node.rootDir } },
      { name: "host", hostPath: { path: host } },
    ],
  });

  test.each([
    ["a link to a file of the host", (path: string) => `rm -rf ${path}; ln -s ${host}/secret ${path}`],
    ["a FIFO", (path: string) => `rm -rf ${path}; mkfifo ${path}`],
    ["a folder", (path: string) => `rm -rf ${path}; mkdir ${path}`],
    ["a link to an endless device", (path: string) => `rm -rf ${path}; ln -s /dev/zero ${path}`],
  ])("are not served %s in place of a log or a termination message", async (what, replace) => {
    const name = `victim-${what.replaceAll(" ", "-").toLowerCase()}`;
    node.create(name, shell("echo begins; while [ ! -e /end ]; do sleep 0.2; done; exit 3"), {
      restartPolicy: "Never",
    });
    await node.untilPhase(name, "Running");
    await node.until("the log", async () => (await output(name)).includes("begins"));
    const find = (pattern: string) => `$(find /agent ${pattern} | head -1)`;
    const commands = [
      `log=${find(`-path '*_${name}_*/c/0.log'`)}; ${replace("$log")}`,
      `message=${find(`-path '*/pods/uid-${name}/containers/c/*' -type f`)}; ${replace("$message")}`,
      "sync; echo done",
    ];
    node.create(`attacker-${name}`, owner(`${commands.join("; ")}; sleep 600`), ownerVolumes());
    await node.until("the attack", async () => (await output(`attacker-${name}`)).includes("done"));
    const answer = await readAgent(`${node.url}/containerLogs/default/${name}/c`, 10_000);
    expect(answer.body).not.toContain(SECRET);
    expect(answer.body.length).toBeLessThan(10_000);
    node.api.remove("/api/v1/pods", `default/attacker-${name}`);
    node.api.remove("/api/v1/pods", `default/${name}`);
    await node.until("the pods to be gone", () => !existsSync(join(node.rootDir, "pods", `uid-${name}`)));
    expect(node.agent.running).toBe(true);
    untouched();
  });

  test("show nothing of the host through a termination message that is a link", async () => {
    node.create(
      "message",
      {
        ...shell("while [ ! -e /shared/go ]; do sleep 0.2; done; exit 3"),
        terminationMessagePath: "/shared/message",
        volumeMounts: [mount("shared", "/shared")],
      },
      { restartPolicy: "Never", volumes: [{ name: "shared", emptyDir: {} }] },
    );
    await node.untilPhase("message", "Running");
    const command = [
      "for f in $(find /agent/pods/uid-message/containers/c -type f); do rm $f; ln -s /etc/shadow $f; done",
      `for f in $(find /agent/pods/uid-message/volumes -name shared); do touch $f/go; done`,
    ];
    node.create("attacker", owner(`${command.join("; ")}; sleep 600`), ownerVolumes());
    await node.untilPhase("message", "Failed");
    const { terminated } = node.shown("message")?.status?.containerStatuses?.[0]?.state ?? {};
    expect(terminated?.exitCode).toBe(3);
    const [secret = "root:"] = readFileSync("/etc/shadow", "utf8").split("\n");
    expect(terminated?.message ?? "").not.toContain(secret);
    expect(JSON.stringify(node.events())).not.toContain(secret);
    untouched();
  });

  test("leave the node healthy", async () => {
    expect(node.condition("Ready")).toBe("True");
    node.create("usual", shell("echo hello; sleep 600"));
    await node.untilPhase("usual", "Running");
    await node.until("the log", async () => (await output("usual")) === "hello\n");
  });
});
