import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildBundles } from "../build-bundles.ts";
import { bundleState } from "../commands.ts";
import { makeHostRoot, whyNoHostRoot } from "../testing/host-root.ts";
import { prepareImages } from "./prepare-images.ts";

const IMAGES = ["orch-apiserver", "orchlet"];
const DOCKERD = "/usr/sbin/dockerd";
const reason =
  whyNoHostRoot(["libc6", "libstdc++6"]) ??
  (existsSync(DOCKERD) ? undefined : `${DOCKERD} is missing (Debian's package docker.io)`);
const dir = mkdtempSync(join(tmpdir(), "images-"));
const socket = `unix://${dir}/docker.sock`;

const docker = (...args: readonly string[]): string =>
  execFileSync("docker", [`--host=${socket}`, ...args], {
    encoding: "utf8",
    stdio: "pipe",
    env: { ...process.env, DOCKER_BUILDKIT: "0" },
  });

describe.skipIf(reason !== undefined)(`container images${reason === undefined ? "" : `: skipped, ${reason}`}`, () => {
  let engine: ReturnType<typeof spawn> | undefined;

  beforeAll(async () => {
    await buildBundles(
      IMAGES.filter((name) => bundleState(name).type !== "current"),
      () => undefined,
    );
    const flags = ["--iptables=false", "--ip6tables=false", "--bridge=none", "--storage-driver=vfs"];
    const folders = [`--data-root=${dir}/data`, `--exec-root=${dir}/exec`, `--pidfile=${dir}/pid`];
    engine = spawn(DOCKERD, [`--host=${socket}`, ...flags, ...folders], { stdio: "ignore" });
    await poll({ what: "dockerd", timeoutMs: 60_000 }, async () => docker("version") !== "");
    const base = join(dir, "base");
    mkdirSync(base);
    // What the distributed base has: the libraries, and no shell.
    makeHostRoot(base, ["libc6", "libstdc++6"]);
    const tar = execFileSync("tar", ["-C", base, "-cf", "-", "."], { maxBuffer: 1 << 30 });
    execFileSync("docker", [`--host=${socket}`, "import", "-", "base:test"], { input: tar, stdio: "pipe" });
    prepareImages(IMAGES, join(dir, "context"));
  }, 240_000);

  afterAll(async () => {
    if (engine !== undefined && engine.exitCode === null) {
      const ended = new Promise((resolve) => engine?.once("exit", resolve));
      engine.kill("SIGTERM");
      await ended;
    }
    rmSync(dir, { recursive: true, force: true });
  });

  // The largest bundle on the small base, and a bundle on the base with a shell; bytes of the bases as they are distributed.
  test.each([
    ["orch-apiserver", 25e6],
    ["orchlet", 75e6],
  ] as const)(
    "%s: the image holds Node and the bundle alone, below 200 MB with its base, and runs without rights",
    (name, baseBytes) => {
      const tag = `orchernetes/${name}:test`;
      docker("build", "--build-arg=BASE=base:test", `--build-arg=PROGRAM=${name}`, "--tag", tag, join(dir, "context"));
      const [image, base] = JSON.parse(docker("image", "inspect", tag, "base:test")) as readonly {
        readonly Size: number;
        readonly Config: { readonly User: string };
      }[];
      expect(image?.Config.User).toBe("65532:65532");
      expect((image?.Size ?? 0) - (base?.Size ?? 0) + baseBytes).toBeLessThan(200e6);
      const { stdout, stderr } = spawnSync(
        "docker",
        [`--host=${socket}`, "run", "--rm", "--network=none", "--read-only", "--cap-drop=ALL", tag, "--version"],
        { encoding: "utf8" },
      );
      expect(stdout + stderr).toBe("Orchernetes v1.27.16+orchernetes\n");
    },
    120_000,
  );

  test("bases are pinned by digest", () => {
    const text = readFileSync(join(import.meta.dirname, "Dockerfile"), "utf8");
    for (const [line] of text.matchAll(/^.*\bBASE=\S+/gm)) expect(line).toMatch(/@sha256:[0-9a-f]{64}$/);
  });
});
