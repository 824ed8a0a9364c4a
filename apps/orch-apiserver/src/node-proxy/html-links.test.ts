import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { finished, pipeline } from "node:stream/promises";
import { deflateSync, gunzipSync, gzipSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { htmlLinks, isPage } from "./html-links.ts";

async function through(input: Iterable<Buffer>, encoding = ""): Promise<Buffer> {
  const end = new PassThrough();
  const stations = htmlLinks((link) => (link.startsWith("/") ? `/p${link}` : link), encoding);
  const [bytes] = await Promise.all([buffer(end), pipeline([Readable.from(input), ...stations, end])]);
  return bytes;
}

const rewritten = async (page: string) => (await through([Buffer.from(page)])).toString();

test.each([
  ['<a href="/rewriteme">test</a>', '<a href="/p/rewriteme">test</a>'],
  ["<IMG SRC=/x.png longdesc='/d'>", "<IMG SRC=/p/x.png longdesc='/p/d'>"],
  ["<a\n title='>' href =\n/x/>", "<a\n title='>' href =\n/p/x/>"],
  ["<img src=/a src2=/b>", "<img src=/p/a src2=/b>"],
  ['<a href="&#47;x&copy;">', '<a href="/p/x&copy;">'],
  ['<a href="&sol;x&#x2F;y">', '<a href="/p/x/y">'],
  ["< a><a href='/x'>", "< a><a href='/p/x'>"],
  [
    "<!--a--><!--><!---><!--b--!><?x><!x></></ x><a href='/x'>",
    "<!--a--><!--><!---><!--b--!><?x><!x></></ x><a href='/p/x'>",
  ],
  [
    "<script src='/s'>'<a href=\"/x\">'</scripty></SCRIPT ><a href='/x'>",
    "<script src='/p/s'>'<a href=\"/x\">'</scripty></SCRIPT ><a href='/p/x'>",
  ],
  ["<title><</title/><a href='/x'>", "<title><</title/><a href='/p/x'>"],
  ['<form action="/a?b=1&amp;c=2">', '<form action="/p/a?b=1&amp;c=2">'],
  ['<a href="/&#8364;">', '<a href="/p/&#8364;">'],
  ['<base href="/">\u20ac ä', '<base href="/p/">\u20ac ä'],
])("%s", async (page, want) => {
  expect(await rewritten(page)).toBe(want);
});

test.each([
  "",
  "text",
  '<A  HREF = "relative" >x</A >',
  '<div href="/x">',
  '<!doctype html><!-- <a href="/x"> --><script>"<a href=\'/x\'>"</script>',
  '<a data-href="/x" class="/x">',
  "</a href='/x'>",
  "<plaintext><a href='/x'>",
  "<textarea><a href='/x'></text area><a href='/x'>",
  '<a href="',
  '<a href="/x',
])("%s passes as it came", async (page) => {
  expect(await rewritten(page)).toBe(page);
});

test("bytes of other encodings stay as they are", async () => {
  const page = Buffer.from([0xe4, 0xff, 0x80, ...Buffer.from('<a href="/x">'), 0xfc]);
  expect(await through([page])).toEqual(Buffer.from([0xe4, 0xff, 0x80, ...Buffer.from('<a href="/p/x">'), 0xfc]));
});

test("a page that comes byte by byte is the same", async () => {
  const page = Buffer.from('<p>é</p><a title="é" href="/x">é</a>');
  const bytes = Array.from(page, (byte) => Buffer.of(byte));
  expect((await through(bytes)).toString()).toBe('<p>é</p><a title="é" href="/p/x">é</a>');
});

test.each([
  ["gzip", gzipSync, gunzipSync],
  ["deflate", deflateSync, inflateSync],
])("%s stays %s", async (encoding, compress, decompress) => {
  const bytes = await through([compress(Buffer.from('<a href="/x">'))], encoding);
  expect(decompress(bytes).toString()).toBe('<a href="/p/x">');
});

test("pieces of any size make the same page", async () => {
  const page = Buffer.from(
    "<!-- <a href='/x'> --><script>'</scr<a href=/y>'</script><a title='>' href=&#47;x>\u00e9</a><b class=x>",
  );
  const whole = await through([page]);
  expect(whole.toString()).toContain("href=/p/x>");
  for (let size = 1; size < 12; size++) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < page.length; at += size) pieces.push(page.subarray(at, at + size));
    expect((await through(pieces)).toString()).toBe(whole.toString());
  }
});

test("a value that is longer than any link passes as it came", async () => {
  const image = `<img src="/${"x".repeat(3_000_000)}"><a href="/x">`;
  const page = Buffer.from(image);
  const pieces = Array.from({ length: 64 }, (_, i) => page.subarray(i * 50_000, (i + 1) * 50_000));
  expect(await through(pieces)).toEqual(Buffer.from(image.replace('href="/', 'href="/p/')));
});

const attributes = Array.from({ length: 60_000 }, (_, i) => ` a${i.toString(36)}`).join("");

test.each([
  ["attributes", `<a${attributes}>`, 100_000],
  ["a tag without end", `<a href="${"x".repeat(200_000)}`, 1],
  ["beginnings of tags", "<svg><math><".repeat(20_000), 1000],
  ["long text", "&amp;x".repeat(400_000), 65_536],
])(
  "%s do not hold the event loop",
  async (_, text, size) => {
    const page = Buffer.from(text);
    const pieces: Buffer[] = [];
    for (let at = 0; at < page.length; at += size) pieces.push(page.subarray(at, at + size));
    const [station] = htmlLinks((link) => link);
    const started = process.threadCpuUsage();
    let length = 0;
    station?.on("data", (chunk: Buffer) => {
      length += chunk.length;
    });
    for (const piece of pieces) station?.write(piece);
    station?.end();
    if (station !== undefined) await finished(station);
    expect(length).toBe(page.length);
    expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(1000);
  },
  60_000,
);

describe("pages", () => {
  test.each([
    [200, { "content-type": "text/html; charset=utf-8" }, true],
    [404, { "content-type": "text/html", "content-encoding": "gzip" }, true],
    [200, { "content-type": "text/html", "content-encoding": "br" }, false],
    [200, { "content-type": "text/plain" }, false],
    [200, {}, false],
    [204, { "content-type": "text/html", "content-encoding": "gzip" }, false],
    [304, { "content-type": "text/html", "content-encoding": "gzip" }, false],
    [200, { "content-type": "text/html", "content-encoding": "gzip", "content-length": "0" }, false],
  ])("%i with %j: %s", (statusCode, headers, want) => {
    expect(isPage({ statusCode, headers })).toBe(want);
  });
});
