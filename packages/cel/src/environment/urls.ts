import { mapValue } from "../values/maps.ts";
import { Failure, isOpaque, listValue, type OpaqueValue, type Outcome, type Value } from "../values/value.ts";

interface Url {
  readonly scheme: string;
  /** With the port, and an IPv6 address in brackets. */
  readonly host: string;
  readonly escapedPath: string;
  readonly query: string;
}

/** The name of the type in Kubernetes, renamed. */
const urlTypeName = "orchernetes.URL";

/** What may stand in a path as it is; all else is escaped. */
const unreserved = /[^A-Za-z0-9\-_.~$&+,/:;=@!'()*%[\]]/gu;

/** Parses an absolute URL or an absolute path, as Go's `url.ParseRequestURI`; a text says why it is neither. */
function parseUrl(text: string): Url | string {
  if (text === "") return "empty url";
  if (text === "*") return { scheme: "", host: "", escapedPath: "*", query: "" };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) return "invalid control character in URL";
  const [whole = ""] = text.split("#", 1);
  const [, scheme = "", rest = ""] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([\s\S]*)$/.exec(whole) ?? [];
  if (scheme === "" && !rest.startsWith("/")) return "invalid URI for request";
  const mark = rest.indexOf("?");
  const query = mark < 0 ? "" : rest.slice(mark + 1);
  const hierarchy = mark < 0 ? rest : rest.slice(0, mark);
  if (scheme !== "" && !hierarchy.startsWith("/"))
    return { scheme: scheme.toLowerCase(), host: "", escapedPath: "", query };
  const [, authority, path = ""] = /^(?:\/\/([^/]*))?([\s\S]*)$/.exec(hierarchy) ?? [];
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return "invalid URL escape";
  const host = (authority ?? "").slice((authority ?? "").lastIndexOf("@") + 1);
  if (/[\s<>"\\^`{|}]/.test(host)) return "invalid character in host name";
  if (!/^(?:\[[0-9A-Fa-f:.%]+\]|[^:[\]]*)(?::\d*)?$/.test(host))
    return `invalid port or address in host ${JSON.stringify(host)}`;
  return { scheme: scheme.toLowerCase(), host, escapedPath: path.replace(unreserved, encodeURIComponent), query };
}

export function toUrl(text: Value): Outcome {
  if (typeof text !== "string") return new Failure("no such overload");
  const url = parseUrl(text);
  if (typeof url === "string")
    return new Failure(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${url}`);
  return { kind: "opaque", type: urlTypeName, text, content: url } satisfies OpaqueValue;
}

export const isUrl = (text: Value): Outcome =>
  typeof text === "string" ? typeof parseUrl(text) !== "string" : new Failure("no such overload");

const part =
  (read: (url: Url) => Outcome) =>
  (value: Value): Outcome =>
    isOpaque(value) && value.type === urlTypeName ? read(value.content as Url) : new Failure("no such overload");

/** The port at the end of a host. */
const port = /:(\d*)$/;

export const urlParts = {
  getScheme: part(({ scheme }) => scheme),
  getHost: part(({ host }) => host),
  getHostname: part(({ host }) => host.replace(port, "").replace(/^\[(.*)\]$/, "$1")),
  getPort: part(({ host }) => port.exec(host)?.[1] ?? ""),
  getEscapedPath: part(({ escapedPath }) => escapedPath),
  getQuery: part(({ query }) => queryOf(query)),
} as const;

/** The parameters in the order of their names. */
function queryOf(query: string): Outcome {
  const values = Map.groupBy(new URLSearchParams(query), ([name]) => name);
  const names = [...values.keys()].sort();
  return mapValue(names.map((name) => [name, listValue((values.get(name) ?? []).map(([, value]) => value))] as const));
}
