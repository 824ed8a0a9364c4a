import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, poll, startGuarded } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildBundles } from "../build-bundles.ts";
import { bundleState } from "../commands.ts";
import { isServing, serviceAccountKey } from "../daemons/serving.ts";
import { DAEMONS } from "../programs.ts";
import { inRoot, makeHostRoot, whyNoHostRoot } from "../testing/host-root.ts";
import { buildDebs } from "./build-debs.ts";

const PACKAGES = ["dash", "coreutils", "passwd", "libc-bin", "libstdc++6", "libatomic1", "mount"];
const reason = whyNoHostRoot(PACKAGES);
const dir = mkdtempSync(join(tmpdir(), "debs-"));
const clean = join(dir, "root");
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const run = (command: readonly string[]): string => {
  const [program = "", ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
};

describe.skipIf(reason !== undefined)(`Debian packages${reason === undefined ? "" : `: skipped, ${reason}`}`, () => {
  beforeAll(async () => {
    await buildBundles(
      DAEMONS.filter((name) => bundleState(name).type !== "current"),
      () => undefined,
    );
    const debs = await buildDebs(DAEMONS, join(dir, "debs"));
    mkdirSync(clean);
    makeHostRoot(clean, PACKAGES);
    run(["dpkg", `--root=${clean}`, "--install", ...debs]);
  }, 300_000);

  test("are installed into a clean system, all of them", () => {
    const states = run([
      "dpkg-query",
      `--admindir=${clean}/var/lib/dpkg`,
      "-W",
      "-f",
      `$\{Package} $\{db:Status-Status}\n`,
    ]);
    for (const name of ["orchernetes-common", ...DAEMONS]) expect(states).toContain(`${name} installed\n`);
    expect(readFileSync(join(clean, "etc/passwd"), "utf8")).toMatch(
      /^orchernetes:x:\d+:\d+::\/nonexistent:\/usr\/sbin\/nologin$/m,
    );
  });

  test.each(DAEMONS)("%s runs there, and has a manual, completions and a unit that systemd accepts", (name) => {
    expect(run(inRoot(clean, [`/usr/bin/${name}`, "--version"]))).toBe("Orchernetes v1.27.16+orchernetes\n");
    const man = join(clean, `usr/share/man/man8/${name}.8.gz`);
    const { stderr = "" } = spawnSync("man", ["--warnings", "-l", man], {
      encoding: "utf8",
      env: { ...process.env, MANPAGER: "cat", MANWIDTH: "200" },
    });
    if (existsSync("/usr/bin/man")) expect(stderr).toBe("");
    expect(run(["bash", "-n", join(clean, `usr/share/bash-completion/completions/${name}`)])).toBe("");
    if (!existsSync("/usr/bin/systemd-analyze")) return;
    // What the units refer to: the targets that every system with systemd has.
    run(["sh", "-c", 'cp /lib/systemd/system/*.target "$0/lib/systemd/system/"', clean]);
    const verify = ["systemd-analyze", `--root=${clean}`, "--man=no", "verify", `${name}.service`];
    expect(spawnSync(verify[0] ?? "", verify.slice(1), { encoding: "utf8" }).stderr).toBe("");
  });

  test("completions offer flags, and the values that a flag accepts", () => {
    const file = join(clean, "usr/share/bash-completion/completions/orch-apiserver");
    const complete = (...words: string[]): readonly string[] =>
      run([
        "bash",
        "-c",
        `source ${file}; COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}; _orch_apiserver; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ])
        .trim()
        .split("\n")
        .sort();
    expect(complete("orch-apiserver", "--tls-cert")).toEqual(["--tls-cert-file"]);
    expect(complete("orch-apiserver", "--storage-backend", "=", "e")).toEqual(["embedded", "etcd3"]);
    expect(complete("orch-apiserver", "--storage-backend", "=")).toEqual(["embedded", "etcd3"]);
  });

  test("the API server starts there from its package, with its own user", async () => {
    const port = await freePort();
    const key = join(clean, "tmp/key");
    writeFileSync(key, serviceAccountKey(), { mode: 0o644 });
    run(["chmod", "1777", join(clean, "tmp")]);
    const flags = [
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      "--storage-backend=embedded",
      "--embedded-store-path=/tmp/store",
      "--cert-dir=/tmp/certificates",
      "--service-account-issuer=https://issuer",
      "--service-account-signing-key-file=/tmp/key",
      "--service-account-key-file=/tmp/key",
      "--service-cluster-ip-range=10.96.0.0/16",
    ];
    const logFile = join(dir, "log");
    const command = inRoot(clean, ["/usr/bin/orch-apiserver", ...flags], "orchernetes");
    const server = await startGuarded({ command, logFile });
    try {
      await poll({ what: `the server (${logFile})`, timeoutMs: 60_000 }, async () => {
        if (!server.running) throw new Error(readFileSync(logFile, "utf8"));
        return isServing(port);
      });
      expect(await server.end("SIGTERM")).toBe(0);
      expect(readFileSync(logFile, "utf8")).toMatch(/ server\.ts:\d+\] Serving securely/);
    } finally {
      await server.end("SIGKILL");
    }
  }, 120_000);

  test("are removed without a trace but the configuration, which a purge removes", () => {
    writeFileSync(join(clean, "etc/orchernetes/orchlet.env"), "FLAGS=--v=2\n");
    run(["dpkg", `--root=${clean}`, "--remove", ...DAEMONS, "orchernetes-common"]);
    expect(readdirSync(join(clean, "etc/orchernetes")).length).toBe(DAEMONS.length);
    expect(existsSync(join(clean, "usr/lib/orchernetes"))).toBe(false);
    run(["dpkg", `--root=${clean}`, "--purge", ...DAEMONS, "orchernetes-common"]);
    expect(existsSync(join(clean, "etc/orchernetes"))).toBe(false);
  });
});
