import { expect, test } from "vitest";
import { journalArguments } from "./journal.ts";
import { logQueryErrors, parseLogQuery } from "./log-query.ts";

const parse = (text: string) => parseLogQuery(new URLSearchParams(text));

test("a request without query parameters is not a query", () => {
  expect(parse("")).toEqual({ errors: [] });
  expect(parse("other=1&sinceTime=")).toEqual({ errors: [] });
});

test("a query names services or a file, with options", () => {
  const { query, errors } = parse(
    "query=orchlet&query=ssh%40a&sinceTime=2023-06-01T01:02:03Z&untilTime=2023-06-01T03:02:03%2B01:00&tailLines=10&boot=-1&pattern=a.%2Bb",
  );
  expect(errors).toEqual([]);
  expect(query).toMatchObject({ services: ["orchlet", "ssh@a"], files: [] });
  if (query === undefined) throw new Error("no query");
  expect(logQueryErrors(query)).toEqual([]);
  expect(journalArguments(query.services, query.options)).toEqual([
    ...["--utc", "--no-pager", "--output=short-precise"],
    ...["--since=2023-06-01 01:02:03 UTC", "--until=2023-06-01 02:02:03 UTC", "--lines=10"],
    ...["--unit=orchlet", "--unit=ssh@a", "--grep=a.+b", "--boot=-1"],
  ]);
  expect(parse("query=/a/b.log").query).toEqual({ services: [], files: ["/a/b.log"], options: {} });
  expect(parse("query=a%5Cb.log").query?.files).toEqual(["a\\b.log"]);
});

test.each([
  "query=",
  "query=%20%20",
  "query=a&sinceTime=now",
  "query=a&untilTime=2023-06-01",
  "query=a&boot=x",
  "query=a&tailLines=1e3",
])("a query with %s cannot be read", (text) => {
  const { query, errors } = parse(text);
  expect([query, errors.length]).toEqual([undefined, 1]);
});

test.each([
  ["tailLines=5", "query: Required value: cannot be empty with options"],
  ["query=a&query=b&query=c&query=d&query=e", "query: Too many: 5: must have at most 4 items"],
  ["query=a;reboot", 'query: Invalid value: "a;reboot": input contains unsupported characters'],
  ["query=$(id)", 'query: Invalid value: "$(id)": input contains unsupported characters'],
  ["query=--file", 'query: Invalid value: "--file": must not begin with a hyphen'],
  [`query=${"a".repeat(257)}`, expect.stringContaining("length must be at most 256")],
  ["query=a&query=/b", expect.stringContaining("cannot specify a file and service")],
  ["query=/a&query=/b", expect.stringContaining("cannot specify more than one file")],
  ["query=/a&tailLines=5", expect.stringContaining("cannot specify file with options")],
  ["query=a&boot=1", "boot: Invalid value: 1: must be less than 1"],
  ["query=a&tailLines=-1", expect.stringContaining("must be between 0 and 100000")],
  ["query=a&tailLines=100001", expect.stringContaining("must be between 0 and 100000")],
  ["query=a&pattern=(", expect.stringContaining("error parsing regexp")],
  [`query=a&pattern=${"a".repeat(2000)}`, expect.stringContaining("must be at most 1024 characters")],
  ["query=a&sinceTime=2023-06-02T00:00:00Z&untilTime=2023-06-01T00:00:00Z", expect.stringContaining("must be after")],
])("a query with %s is rejected", (text, error) => {
  const { query, errors } = parse(text);
  expect(errors).toEqual([]);
  expect(query && logQueryErrors(query)).toEqual([error]);
});
