import type { IncomingMessage } from "node:http";
import { Transform } from "node:stream";
import { createDeflate, createGunzip, createGzip, createInflate } from "node:zlib";
import { type AttributeChoice, HtmlScanner } from "./html-scanner.ts";
import type { LinkRewriter } from "./link-rewriter.ts";

/** Attributes that hold a link, by tag (HTML living standard, and HTML 4 for the older ones). */
const LINKS = new Map(
  Object.entries({
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
  }),
);

/** Whether a response has a body, and that is an HTML page whose links can be rewritten. */
export function isPage({ statusCode, headers }: Pick<IncomingMessage, "statusCode" | "headers">): boolean {
  // What is compressed has a head and an end, which nothing does not have.
  if (statusCode === 204 || statusCode === 304 || headers["content-length"] === "0") return false;
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim() === "text/html" && ["", "gzip", "deflate"].includes(headers["content-encoding"] ?? "");
}

/** References to the characters that say where a link leads. */
const REFERENCES: readonly (readonly [RegExp, string])[] = [
  [/&(?:#0*47|#x0*2f|sol)(?:;|(?![0-9a-z]))/gi, "/"],
  [/&(?:#0*58|#x0*3a|colon)(?:;|(?![0-9a-z]))/gi, ":"],
  [/&(?:#0*46|#x0*2e|period)(?:;|(?![0-9a-z]))/gi, "."],
];

/** A link as it stands in a page: other references in it stay what they are, for only its beginning is changed. */
function inMarkup(rewrite: LinkRewriter): LinkRewriter {
  return (raw) => {
    let plain = raw;
    if (raw.includes("&")) for (const [reference, character] of REFERENCES) plain = plain.replace(reference, character);
    const link = rewrite(plain);
    return link === plain ? raw : link;
  };
}

/** Reads bytes as Latin-1, one character per byte, so that everything except links passes unchanged in any encoding. */
function rewriteTags(rewrite: LinkRewriter): Transform {
  const rewriteRaw = inMarkup(rewrite);
  const choice: AttributeChoice = (tag, attribute) =>
    LINKS.get(tag)?.includes(attribute) === true ? rewriteRaw : undefined;
  const scanner = new HtmlScanner(choice);
  return new Transform({
    transform: (chunk: Buffer, _, done) => done(null, Buffer.from(scanner.write(chunk.toString("latin1")), "latin1")),
    flush: (done) => done(null, Buffer.from(scanner.end(), "latin1")),
  });
}

/** The streams that rewrite the links of a page, including decompression and compression. */
export function htmlLinks(rewrite: LinkRewriter, encoding = ""): readonly Transform[] {
  const page = rewriteTags(rewrite);
  if (encoding === "gzip") return [createGunzip(), page, createGzip()];
  if (encoding === "deflate") return [createInflate(), page, createDeflate()];
  return [page];
}
