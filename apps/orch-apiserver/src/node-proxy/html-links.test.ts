import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
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
  ["<IMG SRC=/x.png longdesc='/d'>", '<img src="/p/x.png" longdesc="/p/d">'],
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
])("%s passes as it came", async (page) => {
  expect(await rewritten(page)).toBe(page);
});

test("a tag that is cut off is dropped, as browsers do", async () => {
  expect(await rewritten('a<a href="/x')).toBe("a");
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

test("a tag without end is not kept for ever", async () => {
  function* endless(): Generator<Buffer> {
    yield Buffer.from('<a href="');
    for (let i = 0; i < 64; i++) yield Buffer.alloc(64 * 1024, "x");
  }
  await expect(through(endless())).rejects.toThrow(/a tag of more than 1048576 characters/);
});

describe("pages", () => {
  test.each([
    [{ "content-type": "text/html; charset=utf-8" }, true],
    [{ "content-type": "text/html", "content-encoding": "gzip" }, true],
    [{ "content-type": "text/html", "content-encoding": "br" }, false],
    [{ "content-type": "text/plain" }, false],
    [{}, false],
  ])("%j: %s", (headers, want) => {
    expect(isPage(headers)).toBe(want);
  });
});
