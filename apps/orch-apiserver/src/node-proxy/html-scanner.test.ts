import { expect, test } from "vitest";
import { HtmlScanner } from "./html-scanner.ts";

/** Puts brackets around each `href` and `src`, so that a row shows what was taken for a value. */
const scanner = () =>
  new HtmlScanner((_, attribute) =>
    attribute === "href" || attribute === "src" ? (value) => `[${value}]` : undefined,
  );

function inPieces(page: string, size: number): string {
  const reader = scanner();
  let out = "";
  for (let at = 0; at < page.length; at += size) out += reader.write(page.slice(at, at + size));
  return out + reader.end();
}

const rows: readonly (readonly [title: string, page: string, want: string])[] = [
  ["quoted", `<a href="x">`, `<a href="[x]">`],
  ["single quotes", `<a href='x"y'>`, `<a href='[x"y]'>`],
  ["an apostrophe in quotes", `<a href="x'y">`, `<a href="[x'y]">`],
  ["unquoted", "<a href=x>", "<a href=[x]>"],
  ["unquoted, with a slash at the end", "<a href=x/>", "<a href=[x/]>"],
  ["unquoted, with quotes inside", `<a href=x"y'z>`, `<a href=[x"y'z]>`],
  ["unquoted, ended by each kind of space", "<a href=x\fsrc=y\nhref=z\t>", "<a href=[x]\fsrc=[y]\nhref=[z]\t>"],
  ["empty", `<a href="" src=''>`, `<a href="[]" src='[]'>`],
  ["without a value", "<a href>", "<a href>"],
  ["an equals sign without a value", "<a href=>x=y", "<a href=>x=y"],
  ["an equals sign after the end of a tag", "<a href>=x", "<a href>=x"],
  ["two equals signs", "<a href==x>", "<a href=[=x]>"],
  ["a name that begins with an equals sign", "<a =href=x>", "<a =href=x>"],
  ["spaces around the equals sign", "<a href \n = \t x>", "<a href \n = \t [x]>"],
  ["a new name after a space", "<a href src=x>", "<a href src=[x]>"],
  ["names touch quotes", `<a title="t"href="x"src=y>`, `<a title="t"href="[x]"src=[y]>`],
  ["a slash instead of a space", "<a/href=x>", "<a/href=[x]>"],
  ["a slash ends a name", "<a href/=x>", "<a href/=x>"],
  ["several slashes", "<a///href=x>", "<a///href=[x]>"],
  ["names in any case", "<A HrEf=x>", "<A HrEf=[x]>"],
  ["a longer name", "<a hrefs=x xhref=y data-href=z>", "<a hrefs=x xhref=y data-href=z>"],
  ["a bracket in quotes", `<a title="><a href=x" href=y>`, `<a title="><a href=x" href=[y]>`],
  ["an end tag", "</a href=x><a href=y>", "</a href=x><a href=[y]>"],
  ["an end tag with a bracket in quotes", `</a t=">"><a href=y>`, `</a t=">"><a href=[y]>`],
  ["less than, as text", "a<b href=x> 1 < 2 <3 href=x> <=", "a<b href=[x]> 1 < 2 <3 href=x> <="],
  ["two brackets", "<<a href=x>", "<<a href=[x]>"],
  ["a bracket in a name", "<a<b href=x>", "<a<b href=[x]>"],
  ["a declaration", "<!doctype html href=x><a href=y>", "<!doctype html href=x><a href=[y]>"],
  ["an instruction", "<?xml href=x?><a href=y>", "<?xml href=x?><a href=[y]>"],
  ["an empty instruction", "<?><a href=y>", "<?><a href=[y]>"],
  ["an empty end tag", "</><a href=y>", "</><a href=[y]>"],
  ["one hyphen begins no comment", "<!-x><a href=y>", "<!-x><a href=[y]>"],
  ["one hyphen and the end", "<!-><a href=y>", "<!-><a href=[y]>"],
  ["a comment", "<!--<a href=x>--><a href=y>", "<!--<a href=x>--><a href=[y]>"],
  ["a comment with hyphens", "<!-- - -> -- > --><a href=y>", "<!-- - -> -- > --><a href=[y]>"],
  ["a comment that ends with many hyphens", "<!--x-----><a href=y>", "<!--x-----><a href=[y]>"],
  ["an empty comment", "<!----><a href=y>", "<!----><a href=[y]>"],
  ["a comment that is closed abruptly", "<!--><a href=y>", "<!--><a href=[y]>"],
  ["a comment that is closed abruptly after a hyphen", "<!---><a href=y>", "<!---><a href=[y]>"],
  ["a comment that an exclamation mark ends", "<!--x--!><a href=y>", "<!--x--!><a href=[y]>"],
  ["an empty one that an exclamation mark ends", "<!----!><a href=y>", "<!----!><a href=[y]>"],
  ["an exclamation mark alone ends no comment", "<!--!><a href=x>--><a href=y>", "<!--!><a href=x>--><a href=[y]>"],
  ["nor after one hyphen", "<!---!><a href=x>--><a href=y>", "<!---!><a href=x>--><a href=[y]>"],
  ["nor do two", "<!--x--!!><a href=x>--><a href=y>", "<!--x--!!><a href=x>--><a href=[y]>"],
  ["nor one before a hyphen", "<!--x--!-><a href=x>--><a href=y>", "<!--x--!-><a href=x>--><a href=[y]>"],
  ["hyphens after an exclamation mark", "<!--x--!--><a href=y>", "<!--x--!--><a href=[y]>"],
  ["a comment without end", "<!--x-><a href=x>", "<!--x-><a href=x>"],
  ["a script", "<script src=s>'<a href=x>'</script><a href=y>", "<script src=[s]>'<a href=x>'</script><a href=[y]>"],
  ["a script that closes itself", "<script/><a href=x></script><a href=y>", "<script/><a href=x></script><a href=[y]>"],
  ["the end tag of another element", "<style></script><a href=x></style>", "<style></script><a href=x></style>"],
  ["a longer end tag", "<title></titles><a href=x></title>", "<title></titles><a href=x></title>"],
  ["a shorter end tag", "<title></titl><a href=x></title>", "<title></titl><a href=x></title>"],
  ["an end tag after its own beginning", "<xmp></x</xmp><a href=y>", "<xmp></x</xmp><a href=[y]>"],
  ["an end tag after brackets", "<style><<</style><a href=y>", "<style><<</style><a href=[y]>"],
  ["an end tag with attributes", "<style></style href=x><a href=y>", "<style></style href=x><a href=[y]>"],
  ["an end tag with a slash", "<style></STYLE/><a href=y>", "<style></STYLE/><a href=[y]>"],
  ["a comment in a raw element", "<textarea><!--</textarea><a href=y>", "<textarea><!--</textarea><a href=[y]>"],
  ["raw elements only by their whole names", "<scripts><a href=y>", "<scripts><a href=[y]>"],
  ["the end tag of a raw element that is not open", "</script><a href=y>", "</script><a href=[y]>"],
  ["text without an end", "<plaintext></plaintext><a href=x>", "<plaintext></plaintext><a href=x>"],
  ["its end tag alone", "</plaintext><a href=y>", "</plaintext><a href=[y]>"],
];

test.each(rows)("%s", (_, page, want) => {
  for (const size of [page.length, 1, 2, 3, 7]) expect(inPieces(page, size)).toBe(want);
});

test.each(["iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"])(
  "the content of %s is no markup",
  (name) => {
    const page = (value: string) => `<${name}><a href=x></${name}><a href=${value}>`;
    expect(inPieces(page("y"), 4)).toBe(page("[y]"));
  },
);

test.each(["<a href=", '<a href="', "<a href=x", "<a href='x", "<", "</", "<!", "<!-", "<script></scr", "<a hre"])(
  "%j at the end of a page is not lost",
  (page) => {
    for (const size of [page.length, 1]) expect(inPieces(page, size)).toBe(page);
  },
);

test("no more than the value is held back", () => {
  const reader = scanner();
  expect(reader.write("text<a title='long' hr")).toBe("text<a title='long' hr");
  expect(reader.write("ef='ab")).toBe("ef='");
  expect(reader.write("cd")).toBe("");
  expect(reader.end()).toBe("abcd");
  expect(reader.write("' src=x>")).toBe("[abcd]' src=[x]>");
  expect(reader.end()).toBe("");
});

test.each([
  [16 * 1024, true],
  [16 * 1024 + 1, false],
])("a value of %i characters is rewritten: %s, in pieces of any size", (length, isRewritten) => {
  const value = "v".repeat(length);
  const want = `<a href="${isRewritten ? `[${value}]` : value}" src=[x]>`;
  for (const size of [length * 2, length, 10_000, 997]) expect(inPieces(`<a href="${value}" src=x>`, size)).toBe(want);
});

test("names are told to the choice in lower case, end tags and long names are not mistaken for others", () => {
  const asked: string[] = [];
  const reader = new HtmlScanner((tag, attribute) => {
    asked.push(`${tag} ${attribute}`);
    return undefined;
  });
  const long = "n".repeat(40);
  reader.write(`<IMG SRC=a Alt="b" c><x-Y Z1='' ></p q=r><${long} ${long}=x>`);
  expect(asked).toEqual(["img src", "img alt", "x-y z1", `${long.slice(0, 32)} ${long.slice(0, 32)}`]);
});
