import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createPlainServing, type PlainServing, targetOf } from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createJournal } from "./journal.ts";
import { createSystemLogs, type SystemLogs } from "./serve-system-logs.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-system-logs-"));
const root = join(dir, "log");
const program = join(dir, "journalctl");

/** A program in place of journalctl, which shows its arguments. */
const script = `#!/bin/sh
case "$1" in
  --field) printf 'ssh.service\\nlong.service\\nflood.service\\n'; exit 0;;
esac
case "$*" in
  *--unit=long*) exec sleep 60;;
  *--unit=flood*) exec yes flood;;
esac
for word in "$@"; do echo "[$word]"; done
echo "to standard error" >&2
`;

const serve: { current?: SystemLogs } = {};
let serving: PlainServing;
beforeAll(async () => {
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(root, "syslog"), "0123456789");
  writeFileSync(join(root, "empty"), "");
  writeFileSync(join(root, "web.log"), "of web\n");
  mkdirSync(join(root, "app"));
  writeFileSync(join(root, "app/app.log"), "of app\n");
  writeFileSync(join(root, 'sub/<b>"&?.log'), "odd");
  writeFileSync(join(dir, "secret"), "secret");
  symlinkSync(join(dir, "secret"), join(root, "link"));
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  serving = await createPlainServing(
    { bindAddress: "127.0.0.1", port: 0, logger: silentLogger },
    async (request, response) => {
      const { path: url, query } = targetOf(request);
      await serve.current?.({ path: decodeURIComponent(url.replace(/^\/logs\/?/, "")), url, query }, request, response);
    },
  );
});
afterAll(async () => {
  await serving.close();
  rmSync(dir, { recursive: true });
});

async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(`http://127.0.0.1:${serving.port}${path}`, { headers, method, redirect: "manual" });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const files = () => {
  serve.current = createSystemLogs({ root, journal: undefined });
};
const queries = (queryMs = 20_000) => {
  serve.current = createSystemLogs({ root, journal: createJournal(program), queryMs });
};

test("a folder is listed with links to its entries, whatever their names are", async () => {
  files();
  const { status, text } = await get("/logs/");
  expect([status, text]).toEqual([200, expect.stringContaining('<a href="syslog">syslog</a>\n<a href="web.log">')]);
  expect(text).toContain('<a href="sub/">sub/</a>');
  const odd = await get("/logs/sub/");
  expect(odd.text).toBe('<pre>\n<a href="%3Cb%3E%22&%3F.log">&lt;b&gt;&#34;&amp;?.log</a>\n</pre>\n');
  expect((await get("/logs/sub/%3Cb%3E%22&%3F.log")).text).toBe("odd");
  expect((await get("/logs/sub")).headers.get("location")).toBe("sub/");
});

test("a file is sent completely or in part", async () => {
  files();
  expect(await get("/logs/syslog")).toMatchObject({ status: 200, text: "0123456789" });
  expect(await get("/logs/syslog", {}, "HEAD")).toMatchObject({ status: 200, text: "" });
  expect(await get("/logs/empty")).toMatchObject({ status: 200, text: "" });
  const part = await get("/logs/syslog", { range: "bytes=-3" });
  expect([part.status, part.text, part.headers.get("content-range")]).toEqual([206, "789", "bytes 7-9/10"]);
  expect((await get("/logs/syslog", { range: "bytes=10-" })).status).toBe(416);
  const since = new Date(Date.now() + 60_000).toUTCString();
  expect(await get("/logs/syslog", { "if-modified-since": since })).toMatchObject({ status: 304, text: "" });
});

test("nothing outside the folder is sent", async () => {
  files();
  for (const path of ["/logs/link", "/logs/nothing"]) expect((await get(path)).status).toBe(404);
  expect((await get("/logs/..%2fsecret")).status).toBe(400);
});

test("without a journal, parameters of queries are ignored", async () => {
  files();
  expect(await get("/logs/?query=ssh")).toMatchObject({ status: 200, text: expect.stringContaining("syslog") });
});

// shows: enableSystemLogQuery
test("the journal entries of services are read by journalctl, without a shell", async () => {
  queries();
  const { status, text } = await get("/logs/?query=ssh&tailLines=2&pattern=a%20%24(id)%20b");
  expect(status).toBe(200);
  expect(text.split("\n").sort()).toEqual(
    [
      "",
      "[--utc]",
      "[--no-pager]",
      "[--output=short-precise]",
      "[--lines=2]",
      "[--unit=ssh]",
      "[--grep=a $(id) b]",
      "to standard error",
    ].sort(),
  );
});

test("services are read from their log files if they have any, and a query can name a file", async () => {
  queries();
  expect((await get("/logs/?query=web&query=app&query=none")).text).toBe("of web\nof app\n\nlog not found for none\n");
  expect((await get("/logs/?query=link")).text).toBe("\nlog not found for link\n");
  expect((await get("/logs/?query=web&tailLines=5")).text).toContain("try without specifying options");
  expect(await get("/logs/?query=/app/app.log")).toMatchObject({ status: 200, text: "of app\n" });
  expect((await get("/logs/?query=/../secret")).status).toBe(406);
  expect((await get("/logs/?query=/link")).status).toBe(406);
  expect((await get("/logs/syslog?query=web")).status).toBe(406);
  expect((await get("/logs/?query=")).status).toBe(400);
});

test("a compressed response is sent to clients that accept nothing else", async () => {
  queries();
  const body = await new Promise<Buffer>((resolve, reject) => {
    const request = httpRequest(
      { port: serving.port, host: "127.0.0.1", path: "/logs/?query=web", headers: { "accept-encoding": "gzip" } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve(Buffer.concat(chunks)));
      },
    );
    request.on("error", reject).end();
  });
  expect(gunzipSync(body).toString()).toBe("of web\n");
});

test("a program that does not end is killed, and one that writes too fast waits for its reader", async () => {
  queries(500);
  expect(await get("/logs/?query=long")).toMatchObject({ status: 200, text: expect.stringContaining("took too long") });
  const request = httpRequest({ port: serving.port, host: "127.0.0.1", path: "/logs/?query=flood" });
  const [received, ended] = await new Promise<[number, boolean]>((resolve) => {
    request.on("response", (response) => {
      let bytes = 0;
      response.pause();
      setTimeout(() => {
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.resume();
        response.on("end", () => resolve([bytes, true])).on("error", () => resolve([bytes, false]));
      }, 1000);
    });
    request.end();
  });
  expect(ended).toBe(true);
  expect(received).toBeLessThan(64 * 1024 * 1024);
}, 20_000);

test("the number of concurrent queries is limited", async () => {
  queries(1000);
  const answers = await Promise.all(Array.from({ length: 12 }, () => get("/logs/?query=long")));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(8).fill(200), ...Array(4).fill(429)]);
  expect((await get("/logs/?query=web")).status).toBe(200);
}, 20_000);

test("without journalctl, only the log files of services are read", async () => {
  serve.current = createSystemLogs({ root, journal: createJournal(join(dir, "none")) });
  expect((await get("/logs/?query=web&query=ssh")).text).toBe("of web\n\nlog not found for ssh\n");
});
