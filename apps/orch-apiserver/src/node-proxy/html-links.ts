import type { IncomingHttpHeaders } from "node:http";
import { Transform } from "node:stream";
import { createDeflate, createGunzip, createGzip, createInflate } from "node:zlib";
import { RewritingStream } from "parse5-html-rewriting-stream";
import type { LinkRewriter } from "./link-rewriter.ts";

/** Attributes that hold a link, by tag (HTML living standard, and HTML 4 for the older ones). */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
};

/** Characters that one tag or text may have before it ends; the page of a hostile server is cut off there. */
const MAX_PENDING = 1024 * 1024;

/** Whether an answer is a page whose links this can read. */
export function isPage(headers: IncomingHttpHeaders): boolean {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim() === "text/html" && ["", "gzip", "deflate"].includes(headers["content-encoding"] ?? "");
}

/** Bytes as text and back, one character a byte: all that is not a link is passed on as it came, in whatever encoding. */
function bytesToText(): Transform {
  return new Transform({
    readableObjectMode: true,
    transform: (chunk: Buffer, _, done) => done(null, chunk.toString("latin1")),
  });
}

/** Characters beyond a byte come from references in links that were rewritten. */
function asReference(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xff ? `&#${code};` : character;
}

function textToBytes(): Transform {
  return new Transform({
    writableObjectMode: true,
    decodeStrings: false,
    transform: (text: string, _, done) =>
      done(null, Buffer.from(text.replaceAll(/[^\p{ASCII}]/gu, asReference), "latin1")),
  });
}

function rewriteTags(rewrite: LinkRewriter): Transform {
  const page = new RewritingStream();
  page.on("startTag", (tag, raw) => {
    const names = Object.hasOwn(LINKS, tag.tagName) ? LINKS[tag.tagName] : undefined;
    let changed = false;
    for (const attribute of tag.attrs) {
      if (names?.includes(attribute.name) !== true) continue;
      const link = rewrite(attribute.value);
      changed ||= link !== attribute.value;
      attribute.value = link;
    }
    if (changed) page.emitStartTag(tag);
    else page.emitRaw(raw);
  });
  return page;
}

/** Ends a page of which nothing comes out although much goes in. */
function bounded(page: Transform): Transform {
  let pending = 0;
  page.on("data", () => {
    pending = 0;
  });
  return new Transform({
    objectMode: true,
    transform(text: string, _, done) {
      pending += text.length;
      if (pending > MAX_PENDING) done(new Error(`the page has a tag of more than ${MAX_PENDING} characters`));
      else done(null, text);
    },
  });
}

/** The stations that a page passes on its way to the client, its links rewritten; compressed as it came. */
export function htmlLinks(rewrite: LinkRewriter, encoding = ""): readonly Transform[] {
  const page = rewriteTags(rewrite);
  const rewriting = [bytesToText(), bounded(page), page, textToBytes()];
  if (encoding === "gzip") return [createGunzip(), ...rewriting, createGzip()];
  if (encoding === "deflate") return [createInflate(), ...rewriting, createDeflate()];
  return rewriting;
}
