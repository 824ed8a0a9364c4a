import { once } from "node:events";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import {
  type ContainerConfig,
  type CriClient,
  createCriClient,
  type Init,
  type PodSandboxConfig,
} from "../src/index.ts";
import { dialSpdy } from "../src/streaming/index.ts";

/** A runtime under test. */
export interface RuntimeUnderTest {
  readonly endpoint: string;
  /** Kills the runtime's own process or object, not its containers, and brings it back. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The contract of every CRI runtime of this project; run against containerd and the process runtime. */
export function describeRuntime(name: string, start: () => Promise<RuntimeUnderTest>, skip?: string): void {
  describe.skipIf(skip !== undefined)(
    `${name} keeps the contract${skip === undefined ? "" : ` (skipped: ${skip})`}`,
    () => {
      let runtime: RuntimeUnderTest;
      let cri: CriClient;
      let dir: string;
      let pods = 0;

      beforeAll(async () => {
        dir = await mkdtemp(join(tmpdir(), "o8s-cri-"));
        runtime = await start();
        cri = createCriClient({ endpoint: runtime.endpoint, timeoutMs: 60_000 });
      });
      afterAll(async () => {
        cri?.close();
        await runtime?.stop();
        await rm(dir, { recursive: true, force: true });
      });

      async function runPod(): Promise<{ id: string; config: Init<PodSandboxConfig>; logs: string }> {
        const pod = `pod-${pods++}`;
        const logs = join(dir, pod);
        const config: Init<PodSandboxConfig> = {
          metadata: { name: pod, namespace: "default", uid: `uid-${pod}` },
          hostname: pod,
          logDirectory: logs,
          labels: { "io.orchernetes.pod.name": pod },
          linux: {},
        };
        const { podSandboxId } = await cri.runtime.runPodSandbox({ config });
        return { id: podSandboxId, config, logs };
      }

      async function runContainer(script: string, extra: Init<ContainerConfig> = {}) {
        const pod = await runPod();
        const { containerId } = await cri.runtime.createContainer({
          podSandboxId: pod.id,
          sandboxConfig: pod.config,
          config: {
            metadata: { name: "main" },
            image: { image: "localhost/busybox:1" },
            command: ["sh", "-c", script],
            logPath: "main/0.log",
            linux: {},
            ...extra,
          },
        });
        await cri.runtime.startContainer({ containerId });
        return { containerId, pod, log: join(pod.logs, "main/0.log") };
      }

      async function status(containerId: string) {
        const { status } = await cri.runtime.containerStatus({ containerId });
        if (status === undefined) throw new Error("no status");
        return status;
      }

      async function exited(containerId: string) {
        return await eventually(async () => {
          const found = await status(containerId);
          return found.state === "CONTAINER_EXITED" ? found : undefined;
        });
      }

      async function logLines(path: string, count: number): Promise<string[]> {
        return await eventually(async () => {
          const lines = (await readFile(path, "utf8").catch(() => "")).split("\n").slice(0, -1);
          return lines.length >= count ? lines : undefined;
        });
      }

      test("reports its version and readiness", async () => {
        expect(await cri.runtime.version({})).toMatchObject({ runtimeApiVersion: "v1" });
        const { status } = await cri.runtime.status({});
        expect(status?.conditions.map(({ type, status }) => [type, status])).toEqual([
          ["RuntimeReady", true],
          ["NetworkReady", true],
        ]);
      });

      test("an unknown profile or runtime handler is rejected", async () => {
        const localhost = { profileType: "Localhost", localhostRef: "/nonexistent.json" } as const;
        const refused = runContainer("true", { linux: { securityContext: { seccomp: localhost } } });
        await expect(refused).rejects.toThrow(/seccomp|nonexistent/);
        const config = { metadata: { name: "p", uid: "p", namespace: "d", attempt: 0 } };
        await expect(cri.runtime.runPodSandbox({ config, runtimeHandler: "absent" })).rejects.toThrow(
          'no runtime for "absent" is configured',
        );
      });

      test("a container runs to its end, with exit code, times and log", async () => {
        const { containerId, log } = await runContainer("sleep 0.2; echo out; echo err >&2; printf unfinished; exit 3");
        const end = await exited(containerId);
        expect(end).toMatchObject({
          exitCode: 3,
          reason: "Error",
          logPath: log,
          metadata: { name: "main", attempt: 0 },
        });
        expect(end.createdAt <= end.startedAt && end.startedAt <= end.finishedAt).toBe(true);
        const lines = await logLines(log, 3);
        const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d) /;
        expect(lines.every((line) => time.test(line))).toBe(true);
        expect(lines.map((line) => line.replace(time, "")).sort()).toEqual([
          "stderr F err",
          "stdout F out",
          "stdout P unfinished",
        ]);
      });

      test.each([
        ["Completed", "exit 0", 0],
        ["Error", "kill -KILL $$", 137],
      ])("the reason is %s after %s", async (reason, script, exitCode) => {
        const { containerId } = await runContainer(script);
        // PID 1 of a PID namespace can't be killed from within; the outcome to compare is a plain process' then.
        const { containerId: nested } = await runContainer(`sh -c '${script}'; exit $?`);
        expect(await exited(nested)).toMatchObject({ exitCode, reason });
        await cri.runtime.stopContainer({ containerId, timeout: 0 });
      });

      test("environment and working folder are the container's own", async () => {
        const { containerId } = await runContainer('echo "$GREETING in $(pwd)" && env && sleep 60', {
          envs: [
            { key: "GREETING", value: "hello" },
            { key: "dotted.name", value: "kept" },
          ],
          workingDir: "/var/work",
        });
        const result = await cri.runtime.execSync({ containerId, cmd: ["env"], timeout: 60 });
        const env = Buffer.from(result.stdout).toString().split("\n");
        expect(env).toContain("GREETING=hello");
        expect(env).toContain("dotted.name=kept");
        expect(env.some((line) => line.startsWith("PATH="))).toBe(true);
        expect(env.every((line) => !line.startsWith("npm_") && !line.startsWith("VITEST"))).toBe(true);
        const pwd = await cri.runtime.execSync({ containerId, cmd: ["pwd"], timeout: 60 });
        expect(Buffer.from(pwd.stdout).toString()).toMatch(/\/var\/work\n$/);
      });

      test("a mounted file is readable", async () => {
        const file = join(dir, "mounted.txt");
        await writeFile(file, "mounted");
        const { containerId } = await runContainer("sleep 60", {
          mounts: [{ hostPath: file, containerPath: "/config/file.txt", readonly: true }],
        });
        const script = 'cat "$ORCHERNETES_CONTAINER_ROOT/config/file.txt"';
        const { stdout } = await cri.runtime.execSync({ containerId, cmd: ["sh", "-c", script], timeout: 60 });
        expect(Buffer.from(stdout).toString()).toBe("mounted");
      });

      test("exec runs beside the container and returns output and exit code", async () => {
        const { containerId } = await runContainer("sleep 60");
        const result = await cri.runtime.execSync({
          containerId,
          cmd: ["sh", "-c", "echo o; echo e >&2; exit 5"],
          timeout: 60,
        });
        expect([Buffer.from(result.stdout).toString(), Buffer.from(result.stderr).toString(), result.exitCode]).toEqual(
          ["o\n", "e\n", 5],
        );
        await expect(cri.runtime.execSync({ containerId, cmd: ["sleep", "60"], timeout: 1 })).rejects.toMatchObject({
          code: "DeadlineExceeded",
        });
        await expect(cri.runtime.execSync({ containerId, cmd: ["no-such-command"], timeout: 60 })).rejects.toThrow(
          /"no-such-command".*executable file not found in \$PATH/,
        );
      });

      test("a command that does not exist fails the start, and the container's status says so", async () => {
        const started = runContainer("", { command: ["no-such-command"] });
        await expect(started).rejects.toThrow(/executable file not found in \$PATH/);
        const { containers } = await cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_EXITED" } } });
        const statuses = await Promise.all(containers.map(async ({ id }) => await status(id)));
        expect(statuses.find(({ message }) => message.includes("no-such-command"))).toMatchObject({
          exitCode: 128,
          reason: "StartError",
        });
      });

      test("stop gives a container time to exit", async () => {
        const { containerId, log } = await runContainer(
          "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 60 & wait; done",
        );
        await logLines(log, 1);
        await cri.runtime.stopContainer({ containerId, timeout: 60 });
        expect(await status(containerId)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 7 });
        expect((await logLines(log, 2)).some((line) => line.endsWith("stdout F bye"))).toBe(true);
        await cri.runtime.stopContainer({ containerId, timeout: 60 });
      });

      test("stop kills a container that ignores SIGTERM", async () => {
        const { containerId, log } = await runContainer("trap '' TERM; echo ready; while :; do sleep 1; done");
        await logLines(log, 1);
        await cri.runtime.stopContainer({ containerId, timeout: 1 });
        expect(await status(containerId)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 137 });
      });

      test("logs can be rotated", async () => {
        const { containerId, log } = await runContainer(
          'echo one; while [ ! -e "$ORCHERNETES_CONTAINER_ROOT/go" ]; do sleep 0.1; done; echo two',
        );
        await logLines(log, 1);
        await rename(log, `${log}.1`);
        await cri.runtime.reopenContainerLog({ containerId });
        await cri.runtime.execSync({
          containerId,
          cmd: ["sh", "-c", 'touch "$ORCHERNETES_CONTAINER_ROOT/go"'],
          timeout: 60,
        });
        expect((await logLines(log, 1))[0]).toMatch(/stdout F two$/);
        await exited(containerId);
      });

      test("lists filter by id, state, sandbox and labels", async () => {
        const { containerId, pod } = await runContainer("sleep 60", { labels: { tier: "front" } });
        const ids = async (filter: NonNullable<Parameters<typeof cri.runtime.listContainers>[0]["filter"]>) =>
          (await cri.runtime.listContainers({ filter })).containers.map(({ id }) => id);
        expect(await ids({ id: containerId })).toEqual([containerId]);
        expect(await ids({ podSandboxId: pod.id })).toEqual([containerId]);
        expect(await ids({ labelSelector: { tier: "front" } })).toEqual([containerId]);
        expect(await ids({ labelSelector: { tier: "back" } })).toEqual([]);
        expect(await ids({ podSandboxId: pod.id, state: { state: "CONTAINER_EXITED" } })).toEqual([]);
        const { items } = await cri.runtime.listPodSandbox({
          filter: { labelSelector: { "io.orchernetes.pod.name": pod.config.metadata?.name ?? "" } },
        });
        expect(items).toMatchObject([{ id: pod.id, state: "SANDBOX_READY", metadata: { attempt: 0 } }]);
      });

      test("an identity is returned once", async () => {
        const pod = await runPod();
        await expect(cri.runtime.runPodSandbox({ config: pod.config })).rejects.toThrow(/is reserved for/);
      });

      test("usage of a running container is reported", async () => {
        const { containerId } = await runContainer("while :; do :; done");
        const { stats } = await eventually(async () => {
          const answer = await cri.runtime.containerStats({ containerId });
          const { cpu, memory } = answer.stats ?? {};
          // A process that has just begun has no memory for a moment.
          return (cpu?.usageCoreNanoSeconds ?? 0) > 1e6 && (memory?.workingSetBytes ?? 0) > 10_000 ? answer : undefined;
        });
        expect(stats?.attributes).toMatchObject({ id: containerId, metadata: { name: "main" } });
        const { stats: listed } = await cri.runtime.listContainerStats({ filter: { id: containerId } });
        expect(listed.map(({ attributes }) => attributes?.id)).toEqual([containerId]);
        await cri.runtime.stopContainer({ containerId, timeout: 0 });
      });

      test("images under localhost are present, others are not", async () => {
        const { image } = await cri.images.imageStatus({ image: { image: "localhost/busybox:1" } });
        expect(image?.repoTags).toEqual(["localhost/busybox:1"]);
        const { images } = await cri.images.listImages({});
        expect(images.flatMap(({ repoTags }) => repoTags)).toEqual(
          expect.arrayContaining(["localhost/busybox:1", "localhost/pause:1"]),
        );
        expect(await cri.images.imageStatus({ image: { image: "example.invalid/none:1" } })).not.toHaveProperty(
          "image",
        );
        const { imageFilesystems } = await cri.images.imageFsInfo({});
        expect(imageFilesystems).toHaveLength(1);
      });

      test.each([
        ["ContainerStatus", async () => await cri.runtime.containerStatus({ containerId: "missing" })],
        ["PodSandboxStatus", async () => await cri.runtime.podSandboxStatus({ podSandboxId: "missing" })],
      ])("%s of something unknown is NotFound", async (method, call) => {
        await expect(call()).rejects.toMatchObject({ name: "CriError", code: "NotFound", method });
      });

      describe("streaming", () => {
        test.each(["v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io"])(
          "exec over SPDY with %s",
          async (protocol) => {
            const { containerId } = await runContainer("sleep 60");
            const { url } = await cri.runtime.exec({
              containerId,
              cmd: ["sh", "-c", "cat; echo done >&2; exit 4"],
              stdin: true,
              stdout: true,
              stderr: true,
            });
            const { connection, protocol: chosen } = await dialSpdy(url, { protocols: [protocol] });
            expect(chosen).toBe(protocol);
            const [error, stdin, stdout, stderr] = await Promise.all(
              ["error", "stdin", "stdout", "stderr"].map((streamtype) => connection.open({ streamtype })),
            );
            const input = "a line of input\n".repeat(8192);
            stdin?.end(input);
            const [output, errors, result] = await Promise.all(
              [stdout, stderr, error].map(async (stream) => (stream ? await readAll(stream) : "")),
            );
            expect(output).toBe(input);
            expect(errors).toBe("done\n");
            expect(result).toMatch(
              protocol.startsWith("v4") ? /"NonZeroExitCode".*"message":"4"/ : /exit code|exit status 4/,
            );
            await connection.close();
          },
        );

        test("exec uses a terminal of the requested size", async () => {
          const { containerId } = await runContainer("sleep 60");
          const { url } = await cri.runtime.exec({
            containerId,
            cmd: ["sh", "-c", "while [ \"$(stty size 2>/dev/null)\" != '33 77' ]; do sleep 0.1; done; tty; stty size"],
            tty: true,
            stdin: true,
            stdout: true,
          });
          const { connection } = await dialSpdy(url, { protocols: ["v4.channel.k8s.io"] });
          const [error, , stdout, resize] = await Promise.all(
            ["error", "stdin", "stdout", "resize"].map((streamtype) => connection.open({ streamtype })),
          );
          resize?.write('{"Width":77,"Height":33}\n');
          expect(stdout && (await readAll(stdout))).toMatch(/^\/dev\/pts\/\d+\r\n33 77\r\n$/);
          expect(error && (await readAll(error))).toContain('"Success"');
          await connection.close();
        });

        test("exec over WebSocket", async () => {
          const { containerId } = await runContainer("sleep 60");
          const { url } = await cri.runtime.exec({
            containerId,
            cmd: ["sh", "-c", "echo hi; exit 2"],
            stdout: true,
            stderr: true,
          });
          const socket = new WebSocket(url, "v4.channel.k8s.io");
          const channels = ["", "", "", ""];
          socket.on("message", (message: Buffer) => {
            channels[message[0] ?? 0] += message.subarray(1).toString();
          });
          await once(socket, "close");
          expect(channels).toEqual(["", "hi\n", "", expect.stringMatching(/NonZeroExitCode.*"2"/)]);
        });

        test("attach connects to standard input and output, whose end ends the container", async () => {
          const { containerId, log } = await runContainer("while read -r line; do echo got $line; done; echo eof", {
            stdin: true,
            stdinOnce: true,
          });
          const { url } = await cri.runtime.attach({ containerId, stdin: true, stdout: true, stderr: true });
          const { connection } = await dialSpdy(url, { protocols: ["v4.channel.k8s.io"] });
          const [, stdin, stdout] = await Promise.all(
            ["error", "stdin", "stdout", "stderr"].map((streamtype) => connection.open({ streamtype })),
          );
          stdin?.end("one\n");
          expect(stdout && (await readAll(stdout))).toBe("got one\neof\n");
          await connection.close();
          expect(await exited(containerId)).toMatchObject({ exitCode: 0 });
          expect((await logLines(log, 2)).map((line) => line.split(" ").slice(3).join(" "))).toEqual([
            "got one",
            "eof",
          ]);
        });

        test("ports are forwarded", async () => {
          const port = 20_000 + Math.floor(Math.random() * 10_000);
          const { containerId, pod } = await runContainer(`exec httpd -f -p ${port} -h /etc`);
          await eventually(async () => {
            const { exitCode } = await cri.runtime.execSync({
              containerId,
              cmd: ["wget", "-q", "-O", "/dev/null", `http://127.0.0.1:${port}/passwd`],
              timeout: 60,
            });
            return exitCode === 0 || undefined;
          });
          const { url } = await cri.runtime.portForward({ podSandboxId: pod.id, port: [port] });
          const { connection } = await dialSpdy(url, { protocols: ["portforward.k8s.io"] });
          const headers = { port: String(port), requestid: "0" };
          const error = await connection.open({ ...headers, streamtype: "error" });
          const data = await connection.open({ ...headers, streamtype: "data" });
          error.end();
          data.write("GET /missing HTTP/1.0\r\n\r\n");
          expect(await readAll(data)).toMatch(/^HTTP\/1\.[01] 404 Not Found/);
          expect(await readAll(error)).toBe("");
          await connection.close();
        });
      });

      test("containers outlive the runtime, and their exits and output in the meantime are known after its restart", async () => {
        const long = await runContainer("n=0; while :; do n=$((n+1)); echo tick $n; sleep 0.1; done");
        const short = await runContainer("sleep 0.5; echo last words; exit 9");
        await logLines(long.log, 2);
        await runtime.restart();
        const end = await eventually(async () => {
          const found = await status(short.containerId).catch(() => undefined);
          return found?.state === "CONTAINER_EXITED" ? found : undefined;
        });
        expect(end.exitCode).toBe(9);
        expect(await status(long.containerId)).toMatchObject({ state: "CONTAINER_RUNNING" });
        const seen = (await logLines(long.log, 2)).length;
        const lines = await logLines(long.log, seen + 3);
        const ticks = lines.map((line) => Number(line.split(" ").at(-1)));
        expect(ticks.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
        await cri.runtime.stopContainer({ containerId: long.containerId, timeout: 0 });
        expect(await status(long.containerId)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 137 });
      });

      test("stopping and removing a sandbox stops and removes its containers", async () => {
        const { containerId, pod } = await runContainer("sleep 60");
        await cri.runtime.stopPodSandbox({ podSandboxId: pod.id });
        expect((await cri.runtime.podSandboxStatus({ podSandboxId: pod.id })).status?.state).toBe("SANDBOX_NOTREADY");
        expect((await exited(containerId)).exitCode).toBe(137);
        await cri.runtime.removePodSandbox({ podSandboxId: pod.id });
        await expect(cri.runtime.containerStatus({ containerId })).rejects.toMatchObject({ code: "NotFound" });
        await cri.runtime.removePodSandbox({ podSandboxId: pod.id });
      });

      test("a port that nobody listens on is reported on the error stream", async () => {
        const { pod } = await runContainer("sleep 60");
        const { url } = await cri.runtime.portForward({ podSandboxId: pod.id, port: [1] });
        const { connection } = await dialSpdy(url, { protocols: ["portforward.k8s.io"] });
        const error = await connection.open({ streamtype: "error", port: "1", requestid: "0" });
        const data = await connection.open({ streamtype: "data", port: "1", requestid: "0" });
        data.on("error", () => {});
        error.end();
        expect(await readAll(error)).toMatch(/port 1 /);
        await connection.close();
      });
    },
  );
}

/** Retries until there is a result. */
async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const started = Date.now(); Date.now() - started < 60_000; ) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("nothing after 60 s");
}

/**
 * All a stream brings, as text. Unlike the usual helpers it leaves the stream's other half alone: destroying it would send
 * a reset to a peer that may have closed, which costs the connection with what is still unread on it.
 */
async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
